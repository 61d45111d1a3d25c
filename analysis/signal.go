package analysis

import "strings"

// ClosesToCancel reports whether a client cancels by closing the response's stream, at a
// protocol version over a transport. Elsewhere it sends a notification. What the
// counts call a cancel is either: sent by closing, and read when the server sees the
// client gone.
func ClosesToCancel(transport, specVersion string) bool {
	return OverHTTP(transport) && specVersion >= "2026-07-28"
}

// OverHTTP reports whether a transport is one over HTTP.
func OverHTTP(transport string) bool { return transport != "" && transport != "stdio" }

// A signalling says which signals the versions of a run cancel with.
type signalling struct{ notifies, closes bool }

func (r Report) signalling() signalling {
	var s signalling
	for _, g := range r.Summary.Tested() {
		if ClosesToCancel(r.Manifest.Transport, g.SpecVersion) {
			s.closes = true
		} else {
			s.notifies = true
		}
	}
	return s
}

// words puts a label for cancels into those for closed streams, where there are no
// others.
func (s signalling) words(label string) string {
	if s.notifies || !s.closes {
		return label
	}
	return closed(label)
}

// remark explains the words where they stand for both.
func (s signalling) remark() string {
	if !s.notifies || !s.closes {
		return ""
	}
	return "from 2026-07-28 on a cancel is a closed stream, read when the server sees the client gone"
}

// closed says of closed streams what a text says of cancels.
func closed(text string) string {
	return strings.NewReplacer(
		"no cancel sent", "stream not closed",
		"cancel sent until read", "stream closed until seen",
		"cancel sent", "stream closed",
		"never read", "never seen",
		"read before its request", "seen before its request",
		"read after the call had ended", "seen after the call had ended",
		"read while queued or running", "seen while queued or running",
		"read until told", "seen until told",
		"after cancels were read", "after closed streams were seen",
		"after reading its cancel", "after seeing its client gone",
		"cancels read", "closed streams seen",
		"cancels sent", "streams closed",
		"a cancel was sent", "a stream was closed",
		"without sending a cancel", "without closing its stream",
		"phase in which the cancel was read", "phase in which the client was seen gone",
	).Replace(text)
}

// over is the rule's text in the words that suit a protocol version over a transport.
func (r RuleText) over(transport, specVersion string) RuleText {
	if ClosesToCancel(transport, specVersion) {
		r.Says, r.Counts, r.Worlds = closed(r.Says), closed(r.Counts), closed(r.Worlds)
	}
	return r
}
