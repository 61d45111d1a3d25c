package analysis

import (
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// A Word is one that tables, pages and listings use and do not explain where it stands.
type Word struct {
	Word  string // as it is printed, and typed to have it explained
	Of    string // what it is said of, a heading for several
	Means string // a clause
}

// What words are said of, in the order of [Words].
const (
	ofPhases   = "where in its call's life a cancel was read (a phase)"
	ofWork     = "what became of the work of a cancelled call"
	ofWire     = "what went over the wire for a cancelled call"
	ofListings = "in listings and diagrams"
)

// Words explains the words, those that are said of one thing together.
func Words() []Word {
	words := []Word{
		{string(oracle.NeverIssued), ofPhases, "the cancel names a request that was never sent"},
		{string(oracle.BeforeRequest), ofPhases, "its request had not been read yet; over HTTP a cancel may overtake it"},
		{string(oracle.Queued), ofPhases, "the request had been read, and no handler had begun"},
		{string(oracle.Running), ofPhases, "the handler was at work"},
		{string(oracle.Returned), ofPhases, "the handler had returned, and its response was not begun yet"},
		{string(oracle.Crossing), ofPhases, "the response had been begun, and the client had not read it when it sent the cancel: the two cross, which is benign"},
		{string(oracle.AfterResponse), ofPhases, "the client had read the response when it sent the cancel"},
		{string(oracle.Undelivered), ofPhases, "the cancel was sent, and never read"},
		{string(oracle.Stopped), ofWork, "the handler was told, and returned because of it"},
		{string(oracle.ToldRanOn), ofWork, "the handler was told, and went on: the application's affair"},
		{string(oracle.NeverTold), ofWork, "the handler was never told, and worked for nobody: the SDK's doing, orphaned work"},
		{string(oracle.NotRead), ofWork, "the cancel had arrived while the handler was at work, and was read only when that had ended"},
		{string(oracle.Silent), ofWire, "no response was sent after the cancel had been read"},
		{string(oracle.Crossed), ofWire, "a response was begun before the cancel was read, so that the two crossed: benign"},
		{string(oracle.Answered), ofWire, "a response was begun after the cancel had been read: late"},
		{string(oracle.AnsweredTwice), ofWire, "two responses were sent"},
		{"+1ns", ofListings, "in the column of times, +1 ns or the like: so much later than the row above, less than the column's three decimals can show"},
		{"held", ofListings, "“held for 3 ms”: the write returned so much later than it was begun, since the network did not take the message at once"},
	}
	return words
}

// FindWord returns what a word means that is typed in any case, with or without hyphens.
func FindWord(typed string) (Word, bool) {
	bare := strings.NewReplacer(" ", "", "-", "")
	words := Words()
	i := slices.IndexFunc(words, func(w Word) bool { return strings.EqualFold(bare.Replace(w.Word), bare.Replace(typed)) })
	if i < 0 {
		return Word{}, false
	}
	return words[i], true
}

// meaning is what a phase means.
func meaning(p oracle.Phase) string {
	w, _ := FindWord(string(p))
	return w.Means
}

// phaseWords explains phases by the names under which they stand, in one line.
func phaseWords(phases []oracle.Phase, name func(oracle.Phase) string) string {
	var out []string
	for _, p := range phases {
		if m := meaning(p); m != "" {
			out = append(out, name(p)+": "+m)
		}
	}
	return strings.Join(out, " · ")
}
