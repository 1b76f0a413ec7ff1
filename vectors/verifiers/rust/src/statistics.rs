//! Audit chapter, "Numbers": bounds and rates, decided in whole numbers.

use crate::bignum::Big;

const MILLION: u64 = 1_000_000;

/// How many of how many.
#[derive(Clone, Copy)]
pub struct Rate {
    pub k: u64,
    pub n: u64,
}

/// The smallest number of millionths for which it holds; it holds for all above one for which it does.
fn least_millionths(holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, MILLION);
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

/// AUD-2: the smallest whole m with P(X <= k) <= alpha for n trials of rate m / 1,000,000. Alpha is in millionths, shared among
/// the tests.
pub fn upper_bound(rate: Rate, alpha: u64, tests: u64) -> u64 {
    if rate.k == rate.n {
        return MILLION; // no trials bound nothing
    }
    let limit = Big::power(MILLION, rate.n).times(alpha);
    least_millionths(|m| at_most(rate, m).times(MILLION).times(tests) <= limit)
}

/// P(X <= k) times a million to the power of n: the sum of C(n, i) p^i q^(n-i).
fn at_most(Rate { k, n }: Rate, p: u64) -> Big {
    let q = MILLION - p;
    let (mut term, mut sum) = (Big::new(1), Big::new(1));
    for i in 1..=k {
        term = term.times((n - i + 1) * p).divided(i); // C(n, i) p^i
        sum = sum.times(q);
        sum.add(&term);
    }
    sum.product(&Big::power(q, n - k))
}

/// The one-sided test of Fisher: the chance, were both arms alike, of at least as many in the first, as ways of all ways.
fn fisher_exact(first: Rate, second: Rate) -> (Big, Big) {
    let seen = first.k + second.k;
    let least = first.k.max(seen.saturating_sub(second.n));
    let mut both = Big::choose(first.n, least).product(&Big::choose(second.n, seen - least));
    let mut ways = Big::new(0);
    for k in least..=first.n.min(seen) {
        ways.add(&both);
        both = both.times((first.n - k) * (seen - k)).divided((k + 1) * (second.n + k + 1 - seen));
    }
    (ways, Big::choose(first.n + second.n, seen))
}

/// AUD-1, AUD-4: p in millionths, rounded up, and whether the rate fails.
pub fn rate_test(with_skill: Rate, baseline: Rate, alpha: u64, difference: u64, tests: u64) -> (u64, bool) {
    let (ways, all) = fisher_exact(with_skill, baseline);
    let is_rare = ways.clone().times(MILLION).times(tests) < all.clone().times(alpha);
    let [k1, n1, k0, n0] = [with_skill.k, with_skill.n, baseline.k, baseline.n].map(i128::from);
    let apart = (k1 * n0 - k0 * n1) * i128::from(MILLION);
    let is_enough = n1 > 0 && n0 > 0 && apart >= i128::from(difference) * n1 * n0;
    let millionths = ways.times(MILLION);
    (least_millionths(|p| all.clone().times(p) >= millionths), is_rare && is_enough)
}

#[cfg(test)]
mod tests {
    use super::{Rate, upper_bound};

    /// The table of AUD-2.
    #[test]
    fn bounds_are_those_of_the_table() {
        let table = [
            (10, [258_866, 394_164, 506_902], 369_043),
            (30, [95_034, 148_597, 195_327], 142_305),
            (100, [29_514, 46_560, 61_620], 45_008),
            (1000, [2_992, 4_735, 6_283], 4_595),
        ];
        for (n, row, at_99) in table {
            let bounds = [0, 1, 2].map(|k| upper_bound(Rate { k, n }, 50_000, 1));
            assert_eq!((bounds, upper_bound(Rate { k: 0, n }, 10_000, 1)), (row, at_99), "{n} epochs");
        }
    }
}
