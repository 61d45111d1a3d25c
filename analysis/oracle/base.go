package oracle

import (
	"encoding/json"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// The oracles of ids, and of what JSON-RPC asks of a message.

func baseChecks() []check {
	return []check{
		{rule: "ID-NO-REUSE-L", side: history.World, level: until(lastLegacy, MustNot), request: idNeverReused},
		{rule: "ID-NO-REUSE-M", side: history.Client, level: modern(MustNot), request: idNotReusedOpen},
		{rule: "ID-NOT-NULL", side: history.World, level: always(MustNot), request: idNotNull},
		{rule: "ID-TYPE", side: history.World, level: always(Must), request: idType},
		{rule: "RESP-SAME-ID", side: history.World, level: always(Must), frame: sameID},
		{rule: "RESP-ONE-OF", side: history.World, level: until("2025-06-18", MustNot), frame: oneOf},
		{rule: "SERVER-NO-REQUESTS", side: history.World, level: modern(MustNot), frame: noServerRequests},
	}
}

// idNeverReused: no id is used twice in a session.
func idNeverReused(_ *index, r *request, t *tally) {
	switch {
	case r.frame.msg.ID == nullID || r.frame.noticed():
	case r.perhapsUsed:
		t.leave(whyForgotten)
	case r.sameID == nil:
		t.pass()
	case r.lost:
		t.leave(whySentAgain)
	default:
		t.fail(r.offence("used the id of an earlier request again"), r.sameID, r.frame.write)
	}
}

// noticed reports whether f is a notification that has an id, which CANCEL-NO-RPC-ID
// forbids: no request was meant, and what reads as its id is none.
func (f *frame) noticed() bool { return strings.HasPrefix(f.msg.Method, noticePrefix) }

const noticePrefix = "notifications/"

// idNotReusedOpen: no id is used while a request of that id has no response; of a
// request that was cancelled and rightly never answered, not at all.
func idNotReusedOpen(_ *index, r *request, t *tally) {
	switch {
	case r.frame.side != history.Client || r.frame.msg.ID == nullID || r.frame.noticed():
	case r.sameID == nil && r.perhapsUsed:
		t.leave(whyForgotten)
	case r.sameID == nil || !r.hasty:
		t.pass()
	case r.turnedDown:
		t.leave(whySentAgain)
	case r.lost:
		t.failUnder("RETRY-NEW-ID", r.offence("used the id of a request again that had no response yet"), r.sameID, r.frame.write)
	default:
		t.fail(r.offence("used the id of a request again that had no response yet"), r.sameID, r.frame.write)
	}
}

const nullID = "null"

// offence is what a request's own wrong has in common with others.
func (r *request) offence(what string) Violation {
	v := Violation{Side: r.frame.side, What: what, Lateness: -1}
	if c := r.call; c != nil {
		v.Call, v.Handler, v.Method = c.Call.Call, c.kind(), c.otherMethod()
	}
	return v
}

// idNotNull: a request has an id that is not null.
func idNotNull(_ *index, r *request, t *tally) {
	switch {
	case r.frame.msg.ID != nullID:
		t.pass()
	case r.frame.noticed():
		// Whatever its id is: no request was meant.
	default:
		t.fail(r.offence("made a request whose id is null"), r.frame.write)
	}
}

// idType: the id of a request is a string or an integer.
func idType(_ *index, r *request, t *tally) {
	switch id := r.frame.msg.ID; {
	case isID(id):
		t.pass()
	case id == nullID:
		// Another rule forbids it.
	default:
		t.fail(r.offence("made a request whose id is no integer"), r.frame.write)
	}
}

// sameID: a response has the id of the request that it answers.
func sameID(x *index, f *frame, t *tally) {
	switch {
	case !f.msg.IsReply() || x.modern && f.side == history.Client:
	case f.meant != nil:
		asked := f.meant.frame
		t.fail(Violation{
			Side: f.side, Lateness: -1, What: "answered under the id of another request: " + likeness(asked.msg.ID, f.msg.ID),
		}, asked.read, f.write)
	case f.req != nil:
		t.pass()
	case f.forgotten:
		t.leave(whyForgotten)
	case f.msg.Kind == history.ErrorReply && (f.msg.ID == "" || f.msg.ID == nullID):
		t.leave(whyUnreadable)
	case f.between():
		t.leave(whyFormerSession)
	case f.named:
		t.leave(whyNamedByCancel)
	case before(x.batch[seat(f.side.Peer())], f.write):
		t.leave(whyBatched)
	case f.twin != nil:
		t.fail(Violation{Side: f.side, Lateness: -1, What: "answered under the same id as another JSON type"}, f.twin, f.write)
	default:
		t.fail(Violation{Side: f.side, Lateness: -1, What: "sent a response whose id no request had"}, f.write)
	}
}

// oneOf: a response has a result or an error, not both.
func oneOf(_ *index, f *frame, t *tally) {
	switch {
	case f.msg.IsReply():
		t.pass()
	case f.msg.Kind == history.Invalid && hasBoth(f.msg.Raw):
		t.fail(Violation{Side: f.side, Lateness: -1, What: "sent a response with a result and an error"}, f.write)
	}
}

// hasBoth reports whether a frame is an object with a result and an error.
func hasBoth(raw string) bool {
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(raw), &m); err != nil {
		return false
	}
	given := func(member string) bool { return m[member] != nil && string(m[member]) != "null" }
	return given("result") && given("error")
}

// noServerRequests: a server makes no requests, and so a client sends no responses.
func noServerRequests(_ *index, f *frame, t *tally) {
	switch {
	case f.side == history.Server && f.msg.Kind == history.Request:
		t.fail(Violation{Side: history.Server, Lateness: -1, What: "made a request of the client"}, f.write)
	case f.side == history.Client && f.msg.IsReply():
		t.fail(Violation{Side: history.Client, Lateness: -1, What: "sent a response"}, f.write)
	default:
		t.pass()
	}
}
