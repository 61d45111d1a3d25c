package oracle

import (
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// The oracles of progress and of log messages.

func progressChecks() []check {
	return []check{
		{rule: "PROGRESS-ACTIVE", side: history.World, level: always(Must), frame: progressActive},
		{rule: "PROGRESS-STOP", side: history.World, level: always(Must), frame: progressStops},
		{rule: "PROGRESS-MONOTONE", side: history.World, level: always(Must), frame: progressGrows},
		{rule: "PROGRESS-TOKEN-UNIQUE", side: history.World, level: always(Must), request: tokenUnique},
		{rule: "LOG-OPT-IN", side: history.Server, level: modern(MustNot), request: logsNotAsked, frame: logsOptIn},
	}
}

const (
	progressMethod = "notifications/progress"
	logMethod      = "notifications/message"
)

// isProgress reports whether f reports progress.
func (f *frame) isProgress() bool {
	return f.msg.Kind == history.Notification && f.msg.Method == progressMethod
}

// progressActive: progress names the token of a request that is being worked on.
func progressActive(x *index, f *frame, t *tally) {
	v := Violation{Side: f.side, Lateness: -1}
	switch r := f.req; {
	case !f.isProgress():
	case f.msg.Token == "":
		v.What = "reported progress without naming a token"
		t.fail(v, f.write)
	case f.forgotten:
		t.leave(whyForgotten)
	case r != nil && r.shared:
		t.leave(whySharedToken)
	case r == nil && before(x.batch[seat(f.side.Peer())], f.write):
		t.leave(whyBatched)
	case r == nil || !before(r.frame.read, f.write):
		v.What = "reported progress for a token that it had not been given"
		t.fail(v, f.write)
	case !f.afterReply():
		t.pass()
	case !f.needless():
		t.leave(whyGoesOn(r))
	case f.mayHaveWaited():
		t.leave(whyServerHeld)
	default:
		t.failUnder("PROGRESS-STOP", f.tooLate(), r.first.write, f.write)
	}
}

// progressStops: once a request is answered, its progress has been reported.
func progressStops(x *index, f *frame, t *tally) {
	switch r := f.req; {
	case !f.isProgress() || r == nil:
	case r.shared:
		t.leave(whySharedToken)
	case !f.afterReply():
		t.pass()
	case !f.needless():
		t.leave(whyGoesOn(r))
	case f.mayHaveWaited():
		t.leave(whyServerHeld)
	case x.modern && x.brokeSilence(r):
		t.failUnder("CANCEL-SILENCE", f.tooLate(), r.first.write, f.write)
	default:
		t.fail(f.tooLate(), r.first.write, f.write)
	}
}

// afterReply reports whether progress was written after the response to its
// request.
func (f *frame) afterReply() bool { return f.req.first != nil && before(f.req.first.write, f.write) }

// mayHaveWaited reports whether progress went by another stream than the response to its
// request, and may have waited there for the network since before that.
func (f *frame) mayHaveWaited() bool {
	return f.on != nil && f.on != f.req.first.on && before(f.since, f.req.first.write)
}

// needless reports whether progress came after the end of what it is about.
func (f *frame) needless() bool {
	return f.afterReply() && !f.req.reused && !startsTask(f.req.first)
}

// whyGoesOn tells why progress of r may come after its response.
func whyGoesOn(r *request) string {
	if r.reused {
		return whyUnclearID
	}
	return whyTaskRuns
}

// brokeSilence reports whether r was answered although it had been cancelled. Then
// CANCEL-SILENCE has a case already.
func (x *index) brokeSilence(r *request) bool {
	return r.call != nil && !r.call.listens() && x.standing(r.call) == live
}

// startsTask reports whether a response says that a task has begun, whose progress
// goes on.
func startsTask(f *frame) bool { return strings.Contains(f.msg.Raw, `"taskId"`) }

func (f *frame) tooLate() Violation {
	v := f.req.offence("reported progress of a request after its response")
	v.Side = f.side
	return v
}

// progressGrows: each figure is more than the one before it, as they were sent.
func progressGrows(_ *index, f *frame, t *tally) {
	switch r := f.req; {
	case !f.isProgress() || r == nil || !f.figured:
	case r.shared:
		t.leave(whySharedToken)
	case f.prior == nil || f.figure > f.was:
		t.pass()
	default:
		v := r.offence("reported progress that did not grow")
		v.Side = f.side
		t.fail(v, f.prior, f.write)
	}
}

// tokenUnique: no two active requests have one progress token.
func tokenUnique(_ *index, r *request, t *tally) {
	switch {
	case r.frame.msg.Token == "":
	case r.rival != nil && r.blurred:
		t.leave(whyUnclearID)
	case r.rival != nil:
		t.fail(r.offence("gave two active requests one progress token"), r.rival, r.frame.write)
	case r.heir:
		t.leave(whyGivenUpToken)
	default:
		t.pass()
	}
}

// judgeLog judges a log message on the stream of a request, which is for that.
func (x *index) judgeLog(f *frame, t *tally) {
	for _, r := range f.on.asks {
		if strings.Contains(r.frame.msg.Raw, logLevel) {
			t.pass()
			return
		}
	}
	r := f.on.asks[0]
	v := r.offence("sent a log message for a request that had not asked for any")
	v.Side = history.Server
	t.fail(v, r.frame.write, f.write)
}

// logsNotAsked counts the requests for which a server was not to log.
func logsNotAsked(x *index, r *request, t *tally) {
	if r.frame.side == history.Client && r.frame.read != nil && x.asked == nil {
		t.pass()
	}
}

// logsOptIn: a server sends log messages to those who asked for them.
func logsOptIn(x *index, f *frame, t *tally) {
	switch {
	case f.side != history.Server || f.msg.Kind != history.Notification || f.msg.Method != logMethod:
	case f.on != nil && len(f.on.asks) > 0 && x.disconnects:
		x.judgeLog(f, t)
	case before(x.asked, f.write):
		t.leave(whyLogsAsked)
	default:
		t.fail(Violation{Side: history.Server, Lateness: -1, What: "sent a log message that no request had asked for"}, f.write)
	}
}
