package main

import "testing"

// The table of AUD-2 in spec/audit.md.
func TestUpperBoundIsThatOfTheTable(t *testing.T) {
	for n, row := range map[int64][4]int64{
		10: {258_866, 394_164, 506_902, 369_043}, 30: {95_034, 148_597, 195_327, 142_305},
		100: {29_514, 46_560, 61_620, 45_008}, 1000: {2_992, 4_735, 6_283, 4_595},
	} {
		for k, want := range row[:3] {
			if got := upperBound(int64(k), n, 50_000, 1); got != want {
				t.Errorf("%d of %d: %d, expected %d", k, n, got, want)
			}
		}
		if got := upperBound(0, n, 10_000, 1); got != row[3] {
			t.Errorf("0 of %d at 99 %%: %d, expected %d", n, got, row[3])
		}
	}
}

// Half of the greatest number of epochs, where the sums are longest.
func TestUpperBoundAtTheLimit(t *testing.T) {
	if got := upperBound(5_000, 10_000, 50_000, 1); got != 508_274 {
		t.Error(got)
	}
}
