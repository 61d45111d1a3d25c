package analysis

import (
	"fmt"
	"strings"
)

// unforeseen ends a sentence about a broken rule, where there was a list of what
// may be broken.
func (s Summary) unforeseen() string {
	if len(s.Expected) == 0 {
		return ""
	}
	return " that was not expected to be"
}

func (s Summary) nothingBroken() string {
	if len(s.fulfilled(Stale)) > 0 {
		return "" // that is what has to be said
	}
	if s.asExpected() {
		return "no unexpected failure"
	}
	return "no rule broken"
}

// staleLine names the entry, or how many there are.
func (s Summary) staleLine() string {
	stale := s.fulfilled(Stale)
	if len(stale) == 1 {
		return "an expected failure is stale: " + printable(stale[0].Place(), 60)
	}
	return plural(len(stale), "expected failure") + " are stale"
}

func (f Finding) expectedMark() string {
	if f.Expected == nil {
		return ""
	}
	return " · expected"
}

// expectedLine gives the reason of a finding that was expected.
func (f Finding) expectedLine() string {
	if f.Expected == nil {
		return ""
	}
	return fold(f.Expected.because(), "    ")
}

// because says in one sentence why a failure is put up with.
func (x Expectation) because() string {
	return fmt.Sprintf("expected by %s: %s (%s)", printable(x.Place(), 60), printable(x.Reason, 200), printable(x.Link, 200))
}

// expectations says of the entries that no finding speaks of what became of them.
func (r Report) expectations() string {
	var lines []string
	for _, e := range r.Summary.fulfilled(Stale) {
		lines = append(lines, r.Style.paint(red, hang("!   ", e.staleness(r))))
	}
	idle := r.Summary.fulfilled(Unexercised, Undecided, NotApplicable)
	for _, e := range idle[:min(len(idle), shownIdle)] {
		lines = append(lines, hang("-   ", e.idle()))
	}
	if rest := len(idle) - shownIdle; rest > 0 {
		lines = append(lines, fmt.Sprintf("-   and %d more expected failures that this run did not put to the test: %s", rest, SummaryFile))
	}
	return strings.Join(lines, "\n")
}

// shownIdle is how many entries that were not put to the test get a line.
const shownIdle = 4

// staleness says what an entry is stale on, and what to do about it.
func (e ExpectedFailure) staleness(r Report) string {
	return fmt.Sprintf("stale: %s expects %s to fail%s, and it held: %s. Delete the entry; if it fails only now and then, run more seeds.",
		printable(e.Place(), 60), e.Rule, e.where(), numbered(e.Checked, textOf(r.Rules, e.Rule).counts()))
}

// where narrows an entry in words.
func (e ExpectedFailure) where() string {
	text := ""
	if who := about(e.Expectation); who != "" {
		text += " on " + printable(who, 60)
	}
	if e.SpecVersion != "" {
		text += " at " + e.SpecVersion
	}
	return text
}

// idle says why an entry proves nothing in this run.
func (e ExpectedFailure) idle() string {
	text := fmt.Sprintf("expected failure %s: %s at %s", e.Fulfilment, e.Rule, printable(e.Place(), 60))
	if e.Why != "" {
		text += " (" + printable(e.Why, 120) + ")"
	}
	return text
}
