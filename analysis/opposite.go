package analysis

import (
	"slices"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// ArmOpposite is the arm of worlds in which the side that a finding is about sits
// opposite the reference. They are run for a finding's smallest seeds and belong
// to no group.
const ArmOpposite Arm = "opposite"

// An Opposite says what came of a finding when the reference took the other side:
// whether it needs both targets, or one side does it alone.
type Opposite struct {
	Worlds  int `json:"worlds"`  // that were run, by the finding's smallest seeds
	Bad     int `json:"bad"`     // of those, worlds that show the finding
	Checked int `json:"checked"` // in all of them
	Failed  int `json:"failed"`
}

// Add counts a world of one of the finding's seeds.
func (o *Opposite) Add(f Finding, w World) {
	o.Worlds++
	i := slices.IndexFunc(w.Judgement.Verdicts, func(v oracle.Verdict) bool { return v.Rule == f.Rule })
	if i < 0 {
		return
	}
	v := w.Judgement.Verdicts[i]
	o.Checked += v.Checked
	if v.Status != oracle.Fail {
		return
	}
	for _, part := range partsOf(v) {
		if part.Side == f.Side && (part.cause == f.Cause || f.Cause == OtherCauses) {
			o.Failed += part.Failed
			o.Bad++
			return
		}
	}
}
