package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// A remark is a note of the specification's contradictions and gaps, with the
// findings of a run that it concerns.
type remark struct {
	oracle.Note
	findings []string // their ids
}

// remarks lists the notes that concern findings, by number.
func (r Report) remarks() []remark {
	var out []remark
	for _, f := range r.Summary.Findings {
		for _, n := range r.Summary.noting(textOf(r.Rules, f.Rule).Rule, f.SpecVersion).NotesAt(oracle.Transport(r.Manifest.Transport), f.SpecVersion) {
			i := slices.IndexFunc(out, func(o remark) bool { return o.ID == n.ID })
			if i < 0 {
				i = len(out)
				out = append(out, remark{Note: n})
			}
			out[i].findings = append(out[i].findings, f.ID)
		}
	}
	order := oracle.Notes()
	slices.SortFunc(out, func(a, b remark) int { return noteAt(order, a.ID) - noteAt(order, b.ID) })
	return out
}

func noteAt(notes []oracle.Note, id string) int {
	return slices.IndexFunc(notes, func(n oracle.Note) bool { return n.ID == id })
}

// notes names them, and where to read how each was decided.
func (r Report) notes() string {
	var parts []string
	for _, n := range r.remarks() {
		parts = append(parts, fmt.Sprintf("%s %s (%s)", n.ID, n.Title, strings.Join(n.findings, ", ")))
	}
	if len(parts) == 0 {
		return ""
	}
	parts[0] = "notes: " + parts[0]
	return flow(append(parts, "mcpsim explain "+r.remarks()[0].ID), " · ", "       ")
}

// noteBullets are the notes for Markdown, with how each was decided.
func (r Report) noteBullets() []string {
	var out []string
	for _, n := range r.remarks() {
		out = append(out, fmt.Sprintf("Note %s on %s, %s: %s", n.ID, strings.Join(n.findings, ", "), n.Title, n.Decides))
	}
	return out
}
