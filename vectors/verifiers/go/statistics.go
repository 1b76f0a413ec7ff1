// Bounds and rates (spec/audit.md, Numbers), decided in integers.
package main

import (
	"math/big"
	"sort"
)

const million = 1_000_000

// rate is how many of how many.
type rate struct{ k, n int64 }

// upperBound is the smallest whole m with P(X <= k) <= alpha for n trials of rate m / 1,000,000 (AUD-2). alpha is in
// millionths, shared among tests.
func upperBound(k, n, alpha, tests int64) int64 {
	if k == n { // no trials bound nothing
		return million
	}
	shares := big.NewInt(tests * million)
	whole := new(big.Int).Exp(big.NewInt(million), big.NewInt(n), nil)
	least := new(big.Int).Mul(whole, big.NewInt(alpha))
	// the greater the rate, the less likely so few: the first that covers is looked for by halves
	return int64(sort.Search(million, func(m int) bool {
		sum := atMostSuccesses(k, n, int64(m))
		return sum.Mul(sum, shares).Cmp(least) <= 0
	}))
}

// atMostSuccesses is P(X <= k) times a million to the power of n: the sum of C(n, i) p^i q^(n-i).
func atMostSuccesses(k, n, p int64) *big.Int {
	q := big.NewInt(million - p)
	term, sum := big.NewInt(1), big.NewInt(1)
	for i := int64(1); i <= k; i++ {
		term.Mul(term, big.NewInt((n-i+1)*p))
		term.Quo(term, big.NewInt(i)) // C(n, i) p^i: without a remainder
		sum.Mul(sum, q).Add(sum, term)
	}
	return sum.Mul(sum, new(big.Int).Exp(q, big.NewInt(n-k), nil))
}

// fisherExact is the chance, were both arms alike, of at least as many in the first: ways of all ways.
func fisherExact(first, second rate) (ways, all *big.Int) {
	seen := first.k + second.k
	k := max(first.k, seen-second.n)
	both := new(big.Int).Binomial(first.n, k)
	both.Mul(both, new(big.Int).Binomial(second.n, seen-k))
	ways = new(big.Int)
	for last := min(first.n, seen); k <= last; k++ {
		ways.Add(ways, both)
		both.Mul(both, big.NewInt((first.n-k)*(seen-k))) // from one k to the next without a remainder
		both.Quo(both, big.NewInt((k+1)*(second.n-seen+k+1)))
	}
	return ways, new(big.Int).Binomial(first.n+second.n, seen)
}

// rateTest gives p in millionths, rounded up (AUD-1), and whether the rate fails: p below alpha shared among tests, and the
// rates as far apart as the difference (AUD-4).
func rateTest(withSkill, baseline rate, alpha, difference, tests int64) (p int64, failed bool) {
	ways, all := fisherExact(withSkill, baseline)
	shared := new(big.Int).Mul(ways, big.NewInt(tests*million))
	rare := shared.Cmp(new(big.Int).Mul(all, big.NewInt(alpha))) < 0
	apart := (withSkill.k*baseline.n - baseline.k*withSkill.n) * million
	enough := withSkill.n > 0 && baseline.n > 0 && apart >= difference*withSkill.n*baseline.n
	up := ways.Mul(ways, big.NewInt(million))
	up.Add(up, all).Sub(up, big.NewInt(1))
	return up.Quo(up, all).Int64(), rare && enough
}
