package spacetime

import (
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// silence is what the reading of a valid cancel asks for.
const silence = "silence from here on"

// asides say in the margin what the reading of a cancel asks for, by the phase
// in which it was read.
var asides = map[oracle.Phase]string{
	oracle.Queued:        silence,
	oracle.Running:       silence,
	oracle.BeforeRequest: "no such request yet: benign",
	oracle.NeverIssued:   "no such request",
	oracle.Returned:      "handler had returned: benign",
	oracle.Crossing:      "answer under way: benign",
	oracle.AfterResponse: "answer was read: benign",
}

// phases say the same in the heading.
var phases = map[oracle.Phase]string{
	oracle.Queued:        "cancel read before its handler started",
	oracle.Running:       "cancel read while running",
	oracle.BeforeRequest: "cancel read before its request",
	oracle.NeverIssued:   "cancel of a request that was never sent",
	oracle.Returned:      "cancel read after the handler had returned",
	oracle.Crossing:      "cancel crossed the answer",
	oracle.AfterResponse: "cancel sent after the answer had been read",
	oracle.Undelivered:   "cancel never read",
}

// closedPhases say it where the cancel is the closing of the response's stream.
var closedPhases = map[oracle.Phase]string{
	oracle.Queued:        "stream seen closed before the handler started",
	oracle.Running:       "stream seen closed while running",
	oracle.NeverIssued:   "stream closed of a request that was never sent",
	oracle.BeforeRequest: "stream closed before the request was read",
	oracle.Returned:      "stream seen closed after the handler had returned",
	oracle.Crossing:      "the closing of the stream crossed the answer",
	oracle.AfterResponse: "stream closed after the answer had been read",
	oracle.Undelivered:   "stream closed, never seen",
}

var works = map[oracle.Work]string{
	oracle.Stopped:   "told, stopped",
	oracle.ToldRanOn: "told, ran on",
	oracle.NeverTold: "never told",
	oracle.NotRead:   "unread until the work had ended",
}

var wires = map[oracle.Wire]string{
	oracle.Silent:        "silent",
	oracle.Crossed:       "crossed",
	oracle.Answered:      "answered",
	oracle.AnsweredTwice: "answered twice",
}

var incidents = map[oracle.Incident]string{
	oracle.Hung:          "hung: the caller never got control back",
	oracle.SessionKilled: "session killed",
	oracle.WrongCall:     "wrong call hit",
	oracle.Crashed:       "crashed",
	oracle.ToolCrashed:   "its tool crashed the process",
	oracle.Panicked:      "the server's HTTP handler panicked",
	oracle.ToolPanicked:  "its tool panicked in the HTTP handler",
	oracle.HungByNetwork: "hung, by the network: the caller never got control back",
	oracle.CallerOverran: "caller overran: it waited for its own cancel",
}

// outcome says in one line what became of a call; closing: its cancel is the closing of
// the response's stream.
func outcome(r oracle.CallResult, closing bool) string {
	phases, unsent, unread := phases, "cancelled by its caller, no cancel sent", works[oracle.NotRead]
	if closing {
		phases, unsent, unread = closedPhases, "cancelled by its caller, stream not closed", "unseen until the work had ended"
	}
	var parts []string
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	switch {
	case r.Sent:
		add(phases[r.Phase])
		// What the phase has said is not said twice; and a server that did not
		// read the cancel is not "silent".
		undelivered := r.Phase == oracle.Undelivered
		switch {
		case undelivered:
		case r.Work == oracle.NotRead:
			add(unread)
		default:
			add(works[r.Work])
		}
		if !(undelivered && r.Wire == oracle.Silent || r.Phase == oracle.Crossing && r.Wire == oracle.Crossed) {
			add(wires[r.Wire] + lateness(r))
		}
	case r.Cancelled:
		add(unsent)
	default:
		add("not cancelled")
	}
	add(incidents[r.Incident])
	return strings.Join(parts, " · ")
}

// lateness says how late a late response was.
func lateness(r oracle.CallResult) string {
	switch {
	case !r.Late || r.Lateness < 0:
		return ""
	case r.Lateness == 0:
		return ", late in the same instant"
	}
	return ", late by " + exact(r.Lateness)
}
