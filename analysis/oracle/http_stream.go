package oracle

import (
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// The oracles of what travels on which stream, and of when one ends.

func httpStreamChecks() []check {
	return []check{
		{rule: "HTTP-RESP-STREAM", side: history.Server, frame: responseOnGet, streams: true},
		{rule: "HTTP-NO-BROADCAST", side: history.Server, frame: onOneStream, streams: true},
		{rule: "HTTP-REPLAY-SCOPE", side: history.Server, frame: replaysOwn, streams: true},
		{rule: "HTTP-REPLAY-AFTER", side: history.Server, frame: replaysBehind, streams: true},
		{rule: "HTTP-EVENT-ID", side: history.Server, frame: eventIDsDiffer, streams: true},
		{rule: "HTTP-NO-EARLY-CLOSE", side: history.Server, exchange: notClosedEarly},
		{rule: "HTTP-RETRY-FIRST", side: history.Server, exchange: tellsWhen},
		{rule: "HTTP-RETRY-WAIT", side: history.Client, exchange: waitsToResume},
		{rule: "HTTP-TERMINATE", side: history.Server, exchange: terminated},
		{rule: "HTTP-STREAM-RELATED", side: history.Server, frame: related},
	}
}

// Why something was not counted.
const (
	whyResumed        = "sent again, since the client had not received it, or had asked for it"
	whySaidTwice      = "the same event twice on one resumed stream"
	whyUnderBroadcast = reportedUnder + "HTTP-NO-BROADCAST"
)

// responseOnGet: no response comes on a stream that the client opened by GET.
func responseOnGet(_ *index, f *frame, t *tally) {
	if f.side != history.Server || !f.msg.IsReply() || f.on == nil || f.on.head == nil {
		return
	}
	switch {
	case f.on.isGet() && (f.on.refused() || !f.on.isStream()):
		// No stream was opened. A body that says why there is none is no message on one.
	case !f.on.isGet():
		t.pass()
	case f.on.resumes() && !f.on.ofGet:
		t.leave(whyResumed)
	case f.mixes():
		t.leave(whyUnclearID)
	default:
		v := f.serverOffence("sent a response on the stream that the client had opened by GET")
		if f.live {
			t.failUnder("HTTP-NO-BROADCAST", v, f.on.begin[atClient], f.write)
			return
		}
		t.fail(v, f.on.begin[atClient], f.write)
	}
}

// serverOffence is what a server did by writing f, which may belong to a request.
func (f *frame) serverOffence(what string) Violation {
	v := Violation{What: what, Lateness: -1}
	if f.req != nil {
		v = f.req.offence(what)
	}
	v.Side = history.Server
	return v
}

// onOneStream: each message goes on one of the open streams only.
func onOneStream(_ *index, f *frame, t *tally) {
	switch {
	case f.side != history.Server || f.on == nil || f.declines():
	case f.live && f.first != nil && f.mixes():
		t.leave(whyUnclearID)
	case f.live:
		t.fail(f.serverOffence("sent one message on two streams that were both open"), f.original(), f.write)
	case f.again():
		t.leave(whyResumed)
	default:
		t.pass()
	}
}

// original is the writing of the message that f says again.
func (f *frame) original() *history.Event {
	switch {
	case f.first != nil:
		return f.first
	case f.replay != nil:
		return f.replay.at
	}
	return f.clash.at
}

// replaysOwn: what is sent on a resumed stream belongs to that.
func replaysOwn(_ *index, f *frame, t *tally) {
	switch {
	case f.side != history.Server || f.on == nil || !f.on.resumes():
	case f.replay == nil && f.mixes():
		t.leave(whyUnclearID)
	case f.foreign:
		t.fail(f.serverOffence("sent on a resumed stream what belongs to another"), f.on.begin[atServer], f.write)
	case f.replay != nil || f.req != nil:
		t.pass()
	}
}

// replaysBehind: what is sent on a resumed stream comes behind the event that the client
// named, and comes once.
func replaysBehind(_ *index, f *frame, t *tally) {
	switch {
	case f.side != history.Server || f.on == nil || !f.on.resumes():
	case f.rewound:
		t.fail(f.serverOffence("sent again on a resumed stream what came no later than the event that the client had named"), f.replay.at, f.on.begin[atServer], f.write)
	case f.doubled:
		t.fail(f.serverOffence("sent one event twice on a resumed stream"), f.replay.at, f.on.begin[atServer], f.write)
	case f.on.behind > 0 && !f.twice:
		t.pass()
	}
}

// eventIDsDiffer: the ids of SSE events are unique in a session.
func eventIDsDiffer(_ *index, f *frame, t *tally) {
	v := Violation{Side: history.Server, What: "gave one id to two SSE events", Lateness: -1}
	switch {
	case f.side != history.Server || f.write.EventID == "" || f.msg.Batch > 1:
	case f.clash != nil && f.live:
		t.failUnder("HTTP-NO-BROADCAST", v, f.clash.at, f.write)
	case f.clash != nil && f.on.mixes():
		t.leave(whyUnclearID) // the server may name its streams after their requests
	case f.clash != nil:
		t.fail(v, f.clash.at, f.write)
	case f.replay != nil:
		t.leave(whyResumed)
	case f.twice:
		t.leave(whySaidTwice)
	default:
		t.pass()
	}
}

// mixes reports whether the request that f is for has an id by which it cannot be told
// from another: that the requester had no right to use.
func (f *frame) mixes() bool { return f.req != nil && f.req.reused }

// mixes reports whether the exchange asks for something under such an id.
func (e *exchange) mixes() bool {
	return slices.ContainsFunc(e.asks, func(r *request) bool { return r.reused })
}

// isStream reports whether the response is an SSE stream.
func (e *exchange) isStream() bool {
	s := e.status[atServer]
	return s != nil && s.HTTP != nil && strings.HasPrefix(strings.ToLower(s.HTTP.ContentType), streamType)
}

// isObject reports whether the server accepted the request and answered otherwise than by
// a stream, so that nothing is left for a client to resume.
func (e *exchange) isObject() bool {
	code := e.answersWith()
	return code >= 200 && code < 300 && e.status[atServer] != nil && !e.isStream()
}

// terminated: the stream of a call ends once it has carried the response.
func terminated(x *index, e *exchange, t *tally) {
	if len(e.asks) == 0 || !e.isStream() || e.answered == nil {
		return
	}
	switch {
	case e.atQuiet == nil && e.finish[atServer] != nil:
		t.pass()
	case e.atQuiet == nil || !before(e.answered, e.atQuiet) || e.atQuiet.At <= e.answered.At+x.grace:
	case before(x.exit, e.atQuiet):
		t.leave(whyServerDead)
	case before(e.disturbed(), e.atQuiet):
		t.leave(whyStreamGone)
	case !e.allAnswered():
		// Of a batch; the rest is still to come.
	case e.mixes():
		t.leave(whyUnclearID)
	default:
		v := e.wrong(history.Server, "left the stream of a call open that had carried the response")
		v.Lateness = span(e.answered, e.atQuiet)
		t.fail(v, e.answered, e.atQuiet)
	}
}

// allAnswered reports whether all that the exchange asks for has a response.
func (e *exchange) allAnswered() bool {
	for _, r := range e.asks {
		if r.first == nil {
			return false
		}
	}
	return true
}

// related: what comes on the stream of a call belongs to that call.
func related(x *index, f *frame, t *tally) {
	if f.side != history.Server || f.on == nil || len(f.on.asks) == 0 {
		return
	}
	own, known := x.belongs(f)
	switch {
	case !known:
	case own:
		t.pass()
	case f.isProgress() && f.req.shared:
		t.leave(whySharedToken)
	case f.isProgress() && f.req.first != nil && startsTask(f.req.first):
		t.leave(whyTaskRuns)
	case f.on.mixes() || f.mixes():
		t.leave(whyUnclearID)
	default:
		v := f.on.asks[0].offence("sent on the stream of a call what belongs to another")
		v.Side = history.Server
		t.fail(v, f.on.asks[0].frame.write, f.write)
	}
}

// belongs reports whether f, which an exchange carries, is about what that asks for;
// known is false where that cannot be told.
func (x *index) belongs(f *frame) (own, known bool) {
	if f.meant != nil {
		return true, true // of its id RESP-SAME-ID speaks
	}
	if f.req != nil && (f.msg.IsReply() || f.isProgress()) {
		return f.req.frame.on == f.on, true
	}
	n := f.write.Call
	switch {
	case f.msg.Kind == history.Request:
		n = x.parent(n)
	case f.msg.Method != logMethod:
		return false, false
	}
	if n == 0 {
		return false, false
	}
	for _, r := range f.on.asks {
		if r.call == nil || r.call.Call.Call == n {
			return r.call != nil, r.call != nil
		}
	}
	return false, true
}

// parent is the call whose tool makes the nested call n; 0 if that is none.
func (x *index) parent(n int) int {
	for i := range x.header.Nested {
		if c := &x.header.Nested[i]; c.Call == n {
			return c.Parent
		}
	}
	return 0
}
