package oracle

import (
	"regexp"
	"slices"
)

// A Note is a place where the specification contradicts itself or leaves a gap,
// and what mcpsim makes of it. Rules refer to notes by their ids, and reports
// print one beside the verdicts that it concerns.
type Note struct {
	ID      string // "Q1"
	Title   string
	Text    string // what the specification says, or does not
	Decides string // how mcpsim decides, and so what may be objected to

	From, Until string    // versions that it is about; empty: no bound
	Over        Transport // the one that it is about; empty: any
}

// At reports whether the note is about a protocol version over a transport.
func (n Note) At(t Transport, specVersion string) bool {
	return n.From <= specVersion && (n.Until == "" || specVersion <= n.Until) && (n.Over == "" || n.Over == t)
}

// Notes returns all notes, by number.
func Notes() []Note {
	return []Note{{
		ID: "Q1", Title: "two pages, two levels",
		Text:    "Since 2026-07-28 the page on cancellation advises a server against answering a cancelled request, and the page on each transport forbids it any further message for it.",
		Decides: "The transport's page is the stricter one and decides: MUST NOT, as CANCEL-SILENCE. CANCEL-NO-RESPONSE is broken by the same act and is shown beside it.",
		From:    modernEra,
	}, {
		ID: "Q2", Title: "how a server ends subscriptions/listen",
		Text:    "Since 2026-07-28 one page has the server send notifications/cancelled when it ends a subscription, another has it answer the request. A server that does the one neglects the other.",
		Decides: "Whatever a server sends to end a subscription by itself is not judged.",
		From:    modernEra,
	}, {
		ID: "Q3", Title: "giving up an exchange that answers in plain JSON",
		Text:    "Since 2026-07-28 the page on cancellation speaks of a client that disconnects, and the page on Streamable HTTP of one that closes an SSE response stream. An exchange that is answered with a single JSON object has no such stream.",
		Decides: "A disconnect is a cancel there, too, by the page on cancellation: MUST.",
		From:    modernEra, Over: StreamableHTTP,
	}, {
		ID: "Q4", Title: "no clean end for a cancelled exchange",
		Text:    "Over Streamable HTTP before 2026-07-28 a cancelled request should get no response, its stream should come to carry one, and at first should not be closed before it has. A receiver cannot do all of that.",
		Decides: "A response to a cancelled request is reported there and convicts nobody; what stays open is measured.",
		From:    firstHTTP, Until: lastLegacy, Over: StreamableHTTP,
	}, {
		ID: "Q5", Title: "what a sender believes",
		Text:    "A cancel may only name a request that its sender believes to be in progress, which is a state of mind.",
		Decides: "A sender is held to have known better only where its caller had been given the result.",
	}, {
		ID: "Q6", Title: "\"as soon as practical\", \"promptly\"",
		Text:    "The text sets no bound to how long a receiver may take to stop, or a server to end.",
		Decides: "The bound is a budget: mcpsim explain names it, and --budget sets it unless it is fixed. Reports print it with how long it really took.",
	}, {
		ID: "Q7", Title: "a cancel without an id",
		Text:    "The schema of 2025-11-25 makes requestId optional, for the sake of tasks, and the page on cancellation demands it for every request that is none.",
		Decides: "The page decides: a cancel of a request that is no task names its id.",
		From:    lastLegacy, Until: lastLegacy,
	}, {
		ID: "Q8", Title: "is an error a response?",
		Text:    "Some clients would like to have a cancelled request answered with an error that says so. The text provides for no response at all.",
		Decides: "An error is a response like any other.",
	}, {
		ID: "Q9", Title: "progress of a tool that goes on",
		Text:    "Before 2026-07-28 no clause speaks of progress after a cancel. That a cancelled request is no operation in progress is an inference, and of a tool that goes on although told it is arguable.",
		Decides: "Such progress is graded SHOULD, and that of tools that go on is left uncounted.",
		Until:   lastLegacy,
	}, {
		ID: "Q10", Title: "the end of the input, with answers still owed",
		Text:    "Since 2026-07-28 a server should exit promptly at the end of its input, \"the primary graceful-shutdown signal\", and so may leave requests unanswered. Before, the end of the input asks the server for nothing by the letter.",
		Decides: "EOF-DRAINS exists up to 2025-11-25, as a rule of quality, and not since.",
		Until:   lastLegacy,
	}, {
		ID: "Q11", Title: "what goes into a closed stream",
		Text: "Since 2026-07-28 the page on Streamable HTTP, where closing the stream is the cancel, forbids any further message for the request. " +
			"What is written into a stream whose client has gone reaches nobody, and a stateless server has no other for it.",
		Decides: "The page is taken at its word: what a server begins to write after it has seen the stream closed is counted, MUST NOT. It costs work and harms nobody.",
		From:    modernEra, Over: StreamableHTTP,
	}}
}

// FindNote returns the note with this ID.
func FindNote(id string) (Note, bool) {
	notes := Notes()
	i := slices.IndexFunc(notes, func(n Note) bool { return n.ID == id })
	if i < 0 {
		return Note{}, false
	}
	return notes[i], true
}

// noteMark is how one of a rule's notes refers to the table.
var noteMark = regexp.MustCompile(`^(Q\d+)(?:: |$)`)

// RefersTo returns the notes of the table that the rule refers to, by number.
func (r Rule) RefersTo() []Note {
	return slices.DeleteFunc(Notes(), func(n Note) bool {
		return !slices.ContainsFunc(r.Notes, func(text string) bool {
			m := noteMark.FindStringSubmatch(text)
			return m != nil && m[1] == n.ID
		})
	})
}

// NotesAt returns those of them that are about a protocol version over a
// transport.
func (r Rule) NotesAt(t Transport, specVersion string) []Note {
	return slices.DeleteFunc(r.RefersTo(), func(n Note) bool { return !n.At(t, specVersion) })
}

// Remarks returns what the rule's notes say beyond the table.
func (r Rule) Remarks() []string {
	var out []string
	for _, text := range r.Notes {
		if rest := noteMark.ReplaceAllString(text, ""); rest != "" {
			out = append(out, rest)
		}
	}
	return out
}

// Concerns lists the rules that refer to the note, in the order of [Catalogue].
func (n Note) Concerns() []string {
	var out []string
	for _, r := range Catalogue() {
		if slices.ContainsFunc(r.RefersTo(), func(m Note) bool { return m.ID == n.ID }) {
			out = append(out, r.ID)
		}
	}
	return out
}
