package plots

import (
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis"
)

// signalled notes at which of the versions a cancel is a closed response stream.
func signalled(versions []arms, transport string) []arms {
	out := slices.Clone(versions)
	for i := range out {
		out[i].closes = analysis.ClosesToCancel(transport, out[i].target.SpecVersion)
	}
	return out
}

// say puts what is said of cancels into the words of a version at which they are closed
// streams.
func (v arms) say(text string) string {
	if !v.closes {
		return text
	}
	return strings.NewReplacer(
		"sent → read", "closed → seen", "read → told", "seen → told",
		"instant of reading", "instant of being seen",
		"cancels that were read", "closed streams that were seen",
		"cancels read", "closed streams seen",
		"cancel was read", "client was seen gone",
		"No cancel was read", "No closed stream was seen", "no cancel was read", "no closed stream was seen",
		"No cancel was sent", "No stream was closed", "cancel was sent", "stream was closed",
		"cancels sent", "streams closed",
		"lay unread", "were unseen", "as unread", "as unseen",
	).Replace(text)
}

// sayIn is say for an entry of a key.
func (v arms) sayIn(e entry) entry {
	e.word = v.say(e.word)
	return e
}

// explained words a figure's title and note for cancels that are closed streams at all
// versions, or says so in the note where they are at some.
func explained(f figure, versions []arms) figure {
	closes := func(v arms) bool { return v.closes }
	open := func(v arms) bool { return !v.closes }
	switch {
	case !slices.ContainsFunc(versions, closes):
	case slices.ContainsFunc(versions, open):
		f.note += " From 2026-07-28 on a cancel is a closed response stream: sent when the client closes it, read when the server sees the client gone."
	default:
		f.title, f.note = versions[0].say(f.title), versions[0].say(f.note)
	}
	return f
}
