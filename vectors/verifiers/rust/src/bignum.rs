//! Whole numbers of any length, as far as bounds and rates want them: no sign, no division but by a small number.

use std::cmp::Ordering;

/// The lowest 64 bits first; no zeros behind the highest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Big(Vec<u64>);

impl Big {
    pub fn new(number: u64) -> Big {
        Big(vec![number]).trimmed()
    }

    fn trimmed(mut self) -> Big {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    pub fn add(&mut self, other: &Big) {
        self.0.resize(self.0.len().max(other.0.len()) + 1, 0);
        let mut carry = false;
        for (index, limb) in self.0.iter_mut().enumerate() {
            let (sum, over) = limb.overflowing_add(other.0.get(index).copied().unwrap_or(0));
            let (sum, again) = sum.overflowing_add(u64::from(carry));
            (*limb, carry) = (sum, over || again);
        }
        *self = Big(std::mem::take(&mut self.0)).trimmed();
    }

    pub fn times(mut self, factor: u64) -> Big {
        let mut carry = 0;
        for limb in &mut self.0 {
            let product = u128::from(*limb) * u128::from(factor) + carry;
            *limb = product as u64;
            carry = product >> 64;
        }
        self.0.push(carry as u64);
        self.trimmed()
    }

    /// Without a remainder, which the caller knows.
    pub fn divided(mut self, divisor: u64) -> Big {
        let mut rest = 0;
        for limb in self.0.iter_mut().rev() {
            let part = rest << 64 | u128::from(*limb);
            *limb = (part / u128::from(divisor)) as u64;
            rest = part % u128::from(divisor);
        }
        debug_assert_eq!(rest, 0);
        self.trimmed()
    }

    pub fn product(&self, other: &Big) -> Big {
        let mut out = vec![0; self.0.len() + other.0.len()];
        for (index, limb) in self.0.iter().enumerate() {
            let mut carry = 0;
            for (place, factor) in out[index..].iter_mut().zip(other.0.iter().chain([&0])) {
                let sum = u128::from(*limb) * u128::from(*factor) + u128::from(*place) + carry;
                *place = sum as u64;
                carry = sum >> 64;
            }
        }
        Big(out).trimmed()
    }

    pub fn power(base: u64, exponent: u64) -> Big {
        let mut out = Big::new(1);
        for bit in (0..64).rev() {
            out = out.product(&out);
            if exponent >> bit & 1 == 1 {
                out = out.times(base);
            }
        }
        out
    }

    /// C(n, k)
    pub fn choose(n: u64, k: u64) -> Big {
        if k > n {
            return Big::new(0);
        }
        (1..=k.min(n - k)).fold(Big::new(1), |ways, step| ways.times(n - step + 1).divided(step))
    }
}

impl PartialOrd for Big {
    fn partial_cmp(&self, other: &Big) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Big {
    fn cmp(&self, other: &Big) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

#[cfg(test)]
mod tests {
    use super::Big;

    #[test]
    fn carries_go_over_limbs() {
        let mut all_ones = Big::new(u64::MAX);
        all_ones.add(&Big::new(1));
        assert_eq!(all_ones, Big::power(2, 64));
        assert_eq!(Big::power(10, 40).divided(10_000_000_000), Big::power(10, 30));
        assert_eq!(Big::power(10, 30).product(&Big::power(10, 10)), Big::power(10, 40));
        assert_eq!(Big::choose(100, 50), Big::choose(99, 49).times(2));
        assert!(Big::power(2, 64) > Big::new(u64::MAX) && Big::new(0) < Big::new(1));
    }
}
