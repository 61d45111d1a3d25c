package sim

import (
	"fmt"
	"slices"
	"strings"
)

// A Fault is one thing that is wrong with a scenario.
type Fault struct {
	Line, Column int    // from 1, in the file; 0: the scenario did not come from a file
	Path         string // "handlers[0].work"; empty for the file as a whole
	Problem      string // a clause: "a bare number has no unit"
	Cure         string // what to do about it: "write 20ms or 20s"
}

// A ScenarioError lists everything that is wrong with one scenario, in the order
// of the file.
type ScenarioError struct {
	Name   string // the file, or the scenario's name; what stands before the line number
	Faults []Fault
}

// Error gives each fault a line of its own, as compilers do.
func (e *ScenarioError) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		lines[i] = f.in(e.Name)
	}
	return strings.Join(lines, "\n")
}

func (f Fault) in(name string) string {
	var b strings.Builder
	b.WriteString(name)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
	}
	b.WriteString(": ")
	if f.Path != "" {
		b.WriteString(f.Path + ": ")
	}
	b.WriteString(f.Problem)
	if f.Cure != "" {
		b.WriteString("; " + f.Cure)
	}
	return b.String()
}

// maxFaults is how many faults are listed. Nobody mends more in one go, and a
// file that is no scenario at all could have a fault a line.
const maxFaults = 50

// faulty returns the faults as an error, or nil if there are none.
func faulty(name string, faults []Fault) error {
	if len(faults) == 0 {
		return nil
	}
	slices.SortStableFunc(faults, func(a, b Fault) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	if rest := len(faults) - maxFaults; rest > 0 {
		last := faults[maxFaults]
		faults = append(faults[:maxFaults:maxFaults], Fault{
			Line: last.Line, Column: last.Column,
			Problem: fmt.Sprintf("%d more faults follow", rest),
			Cure:    "mend those above first",
		})
	}
	return &ScenarioError{Name: name, Faults: faults}
}

// oneOf lists the words that are legal: "a", "a or b", "a, b or c".
func oneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// choose is the cure for a word that is not among the legal ones: the one that
// was probably meant, and all of them.
func choose(word string, legal []string) string {
	cure := "write " + oneOf(legal)
	if meant := nearest(word, legal); meant != "" && len(legal) > 1 {
		return fmt.Sprintf("did you mean %s? %s", meant, cure)
	}
	return cure
}

// nearest returns the legal word that looks most like word, or nothing when none
// looks like it.
func nearest(word string, legal []string) string {
	if len(word) > 64 {
		return "" // no legal word is as long
	}
	best, bestDistance := "", 1+max(1, len(word)/3)
	for _, candidate := range legal {
		if d := editDistance(spelling(word), spelling(candidate)); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// spelling leaves out what people mix up without meaning anything by it.
func spelling(word string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(word))
}

// editDistance counts the letters to insert, delete, replace or swap with their
// neighbour that make b out of a.
func editDistance(a, b string) int {
	var before, above []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, above, row = above, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, above[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

// quote shows what somebody wrote, cut to a length that fits a line.
func quote(s string) string {
	const most = 40
	runes := []rune(s)
	if len(runes) > most {
		return fmt.Sprintf("%q…", string(runes[:most]))
	}
	return fmt.Sprintf("%q", s)
}
