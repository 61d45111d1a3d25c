package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// The oracles of what a cancel may be aimed at, and of how it looks.

func aimChecks() []check {
	return []check{
		{rule: "CANCEL-SAME-DIRECTION", side: history.World, level: until(lastLegacy, Must), cancel: sameDirection},
		{rule: "CANCEL-ONLY-INPROGRESS", side: history.Client, level: always(Must), cancel: onlyInProgress},
		{rule: "CANCEL-INIT", side: history.Client, level: until(lastLegacy, MustNot), request: neverInitialize, cancel: initializeCancelled},
		{rule: "CANCEL-SERVER-FORBIDDEN", side: history.Server, level: modern(MustNot), frame: serverCancels},
		{rule: "CANCEL-HAS-ID", side: history.World, level: always(Must), cancel: cancelHasID},
		{rule: "CANCEL-NO-RPC-ID", side: history.World, level: always(MustNot), frame: cancelWithoutRPCID},
	}
}

// sameDirection: a cancel names no request of the peer's. One that its sender had not
// read it cannot have meant.
func sameDirection(_ *index, f *frame, t *tally) {
	switch {
	case f.req != nil:
		t.pass()
	case f.forgotten:
		t.leave(whyForgotten)
	case f.theirs != nil:
		t.fail(Violation{
			Side: f.side, Lateness: -1, What: "cancelled a request that the other side had issued",
		}, f.theirs, f.write)
	}
}

// onlyInProgress: a call whose value the caller has is not cancelled.
func onlyInProgress(x *index, f *frame, t *tally) {
	if f.req == nil || f.req.call == nil || f.side != history.Client || f.req.cancel != f {
		return
	}
	c := f.req.call
	switch {
	case f.req.reused:
		t.leave(whyUnclearID)
	case !before(c.ret, f.write) || c.ret.Text != "":
		if before(f.req.readReply, f.write) {
			t.leave(whyNotHandedOver)
		}
		t.kept(c, "")
	case c.cancel != nil:
		t.leave(whyBelieved)
	case x.grace > 0 && f.write.At <= c.ret.At+x.grace:
		t.undecided++
		t.leave(whyWithinGrace)
	default:
		t.fail(Violation{
			Call: c.Call.Call, Side: history.Client, Handler: c.kind(), Method: c.otherMethod(), Lateness: span(c.ret, f.write),
			What: "cancelled a call that had returned its value",
		}, f.req.readReply, c.ret, f.write)
	}
}

// initializeMethod is the method that is never to be cancelled.
const initializeMethod = "initialize"

// neverInitialize counts the handshakes that nobody cancelled.
func neverInitialize(_ *index, r *request, t *tally) {
	if r.frame.msg.Method == initializeMethod && r.frame.side == history.Client && r.cancel == nil {
		t.pass()
	}
}

// initializeCancelled: nor does a cancel name one.
func initializeCancelled(_ *index, f *frame, t *tally) {
	if f.side == history.Client && f.req != nil && f.req.frame.msg.Method == initializeMethod {
		t.fail(Violation{
			Side: history.Client, Method: initializeMethod, Lateness: -1, What: "cancelled initialize",
		}, f.req.frame.write, f.write)
	}
}

// serverCancels: a server ends subscriptions with a cancel, and nothing else.
func serverCancels(_ *index, f *frame, t *tally) {
	switch {
	case f.side != history.Server:
	case !f.msg.IsCancel():
		t.pass()
	case f.ends:
		t.leave(whyEndsListen)
	default:
		t.fail(Violation{Side: history.Server, Lateness: -1, What: "sent a cancel"}, f.theirs, f.write)
	}
}

// cancelHasID: a cancel names an id.
func cancelHasID(_ *index, f *frame, t *tally) {
	switch id := f.msg.Ref; {
	case isID(id):
		t.pass()
	case id == "":
		t.fail(Violation{Side: f.side, Lateness: -1, What: "sent a cancel that names no request"}, f.write)
	default:
		t.fail(Violation{
			Side: f.side, Lateness: -1, What: "sent a cancel whose request id is neither a string nor an integer",
		}, f.write)
	}
}

// cancelWithoutRPCID: a cancel is a notification, and has no id of its own.
func cancelWithoutRPCID(_ *index, f *frame, t *tally) {
	switch {
	case f.msg.IsCancel():
		t.pass()
	case f.msg.Kind == history.Request && f.msg.Method == cancelMethod:
		t.fail(Violation{Side: f.side, Lateness: -1, What: "sent a cancel with an id of its own"}, f.write)
	}
}

const cancelMethod = "notifications/cancelled"
