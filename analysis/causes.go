package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// A part is those violations of one failed verdict that make one finding: by one
// side, and with one signature. Failed counts them, listed or not.
type part struct {
	oracle.Verdict
	cause string
}

// partsOf takes a failed verdict apart.
func partsOf(v oracle.Verdict) []part {
	var out []part
	for _, s := range bySide(v) {
		out = append(out, byCause(s)...)
	}
	return out
}

// byCause takes the verdict on one side apart by signature. Violations that it
// does not list go where most of the listed ones are.
func byCause(v oracle.Verdict) []part {
	var parts []part
	for _, x := range v.Violations {
		cause := x.Signature()
		i := slices.IndexFunc(parts, func(p part) bool { return p.cause == cause })
		if i < 0 {
			i = len(parts)
			parts = append(parts, part{Verdict: v, cause: cause})
			parts[i].Violations, parts[i].Failed = nil, 0
		}
		parts[i].Violations = append(parts[i].Violations, x)
		parts[i].Failed++
	}
	if len(parts) == 0 {
		return []part{{Verdict: v}}
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(b.Failed, a.Failed), strings.Compare(a.cause, b.cause))
	})
	parts[0].Failed += max(0, v.Failed-len(v.Violations))
	return parts
}

// bySide parts a failed verdict that is about both sides by who broke the rule.
// Violations that it does not list go to the side that most of the listed ones are
// of, so that whatever lists one has an example; with none listed, they are
// nobody's.
func bySide(v oracle.Verdict) []oracle.Verdict {
	if v.Side != history.World {
		return []oracle.Verdict{v}
	}
	var parts []oracle.Verdict
	most := 0 // index of the part with most
	for _, side := range []history.Side{history.Client, history.Server, history.World} {
		part := v
		part.Side, part.Violations = side, violationsOf(v, side)
		part.Failed = len(part.Violations)
		if part.Failed == 0 {
			continue
		}
		if parts = append(parts, part); part.Failed > parts[most].Failed {
			most = len(parts) - 1
		}
	}
	if len(parts) == 0 {
		return []oracle.Verdict{v}
	}
	parts[most].Failed += max(0, v.Failed-len(v.Violations))
	return parts
}

func violationsOf(v oracle.Verdict, side history.Side) []oracle.Violation {
	var out []oracle.Violation
	for _, x := range v.Violations {
		if x.Side == side || x.Side == "" && side == history.World {
			out = append(out, x)
		}
	}
	return out
}

// maxCauses is how many findings one rule can have on one side at one protocol
// version. An SDK whose every death looks different would make no end of them.
const maxCauses = 8

// OtherCauses is the cause of the finding that unites what is beyond maxCauses.
const OtherCauses = "~ other causes" // sorts behind letters

// A causeList names the causes that are told apart: the maxCauses first in the
// alphabet of all that came, so that it does not depend on their order. What was
// pushed out once has maxCauses smaller ones before it for ever.
type causeList []string

// file says under which name a cause is kept. evicts is the one that has to join
// OtherCauses for its sake; ok tells whether there is one.
func (c *causeList) file(cause string) (under, evicts string, ok bool) {
	i, found := slices.BinarySearch(*c, cause)
	switch {
	case found:
		return cause, "", false
	case i == maxCauses:
		return OtherCauses, "", false
	}
	*c = slices.Insert(*c, i, cause)
	if len(*c) <= maxCauses {
		return cause, "", false
	}
	evicts = (*c)[maxCauses]
	*c = (*c)[:maxCauses]
	return cause, evicts, true
}
