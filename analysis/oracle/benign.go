package oracle

import "slices"

// A Race is a crossing that the specification allows, or that is nobody's doing.
// None is ever counted as a violation.
type Race struct {
	ID   string // "R1"
	What string // happens, in one sentence
	Why  string // it is benign
}

// Races returns the benign races, by number.
func Races() []Race {
	return []Race{
		{"R1", "The response's writing began before the cancel was read, whenever either is delivered.",
			"A cancel may arrive after the response has been sent; both sides are told to expect it."},
		{"R2", "The handler had ended when the cancel was read, and the response was written after that.",
			"A receiver may ignore a cancel when processing has already completed."},
		{"R3", "A cancel names a request that has been answered already.",
			"Its sender acted in good faith, and its receiver is to ignore it."},
		{"R4", "A cancel arrives before its request, which is then run in full, or not at all.",
			"The id was unknown when the cancel was read. Over stdio this cannot happen; over HTTP each message travels alone."},
		{"R5", "A response reaches the client after its cancel.",
			"To receive it is not the client's doing; to use it would be."},
		{"R6", "One request is cancelled twice.",
			"The second cancel names a request that is over, or unknown, and is to be ignored."},
		{"R7", "A cancel, or a response, and the end of the session come together.",
			"The end wins, and what was not delivered is lost."},
		{"R8", "Progress or a log message that was sent before the cancel was read arrives after it was sent.",
			"It was in transit."},
		{"R9", "A call is cancelled while the answer that makes a task of it is on its way.",
			"The client did not know. The task is then cancelled as a task, or runs out."},
		{"R10", "A server writes into an HTTP stream that the client has closed, before it can have seen that.",
			"It does not know of the disconnect yet."},
		{"R11", "Before 2026-07-28 a response is kept for, or sent on, the stream that a client resumes after it was disconnected.",
			"That is what resuming is for: a disconnect is no cancel there."},
		{"R12", "Before 2026-07-28 a cancelled HTTP exchange ends in an error response, or its stream stays open.",
			"The specification offers no clean end; see Q4."},
		{"R13", "A tool that has been told goes on, and nothing is sent for it.",
			"That is the application's affair, never the implementation's."},
		{"R14", "One thread of the receiver reads the cancel while another is already writing the response.",
			"In the same instant neither knows of the other. It counts only where the order proves that it knew."},
		{"R15", "A task of the extension completes although tasks/cancel was acknowledged.",
			"Cancelling a task is cooperative there: it may still end in any state."},
		{"R16", "A server cancels a call of its own to the client because the call above it was cancelled, and the client's answer crosses that.",
			"It is R1 with the sides exchanged."},
		{"R17", "Since 2026-07-28 a cancel that is sent by HTTP POST is accepted, or refused.",
			"It is neither required nor forbidden, and has no meaning there."},
		{"R18", "A server/discover that serves as a probe runs into its time limit and is cancelled.",
			"It is an ordinary request; that initialize is never cancelled says nothing of it."},
	}
}

// FindRace returns the race with this ID.
func FindRace(id string) (Race, bool) {
	races := Races()
	i := slices.IndexFunc(races, func(r Race) bool { return r.ID == id })
	if i < 0 {
		return Race{}, false
	}
	return races[i], true
}

// Excuses lists the rules that leave the race uncounted, in the order of
// [Catalogue].
func (r Race) Excuses() []string {
	var out []string
	for _, rule := range Catalogue() {
		if slices.ContainsFunc(rule.Exempt, func(e Exemption) bool { return e.Race == r.ID }) {
			out = append(out, rule.ID)
		}
	}
	return out
}
