package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// result tells what became of c.
func (x *index) result(c *call) CallResult {
	r := CallResult{
		Call: c.Call.Call, Handler: c.kind(), Cancelled: c.cancel != nil, Life: c.Life,
		Offset: -1, SentToRead: -1, ReadToTold: -1, ToldToEnd: -1, ReadToEnd: -1, Lateness: -1, CancelToRet: -1,
	}
	if !r.Cancelled {
		return r
	}
	r.Offset = span(c.issue, c.cancel)
	r.CancelToRet = span(c.cancel, c.ret)
	if r.Phase = x.phase(c); r.Phase == "" || r.Phase == NeverIssued {
		return r
	}
	s := x.standing(c)
	r.Sent, r.Work, r.Wire = true, x.work(c, s), x.wire(c, s)
	if late := x.late(c, s); late != nil {
		r.Late, r.ErrorReply = true, late.msg.Kind == history.ErrorReply
		r.Lateness = span(c.req.c, late.write)
	}
	x.durations(&r, c)
	return r
}

func (x *index) durations(r *CallResult, c *call) {
	req := c.req
	if req.c == nil {
		return
	}
	if req.readCancel != nil {
		r.SentToRead = span(req.readCancel.write, req.readCancel.read)
	}
	if told := x.telling(c); told != nil {
		r.ReadToTold = span(req.c, told)
		r.ToldToEnd = span(told, c.end)
	}
	if c.start == nil || before(c.end, req.c) {
		return
	}
	end := c.end
	if end == nil {
		end = x.last
	}
	r.ReadToEnd = span(req.c, end)
}

// incident tells what went wrong with c beyond its own two axes, the gravest
// first. The race must have been judged before.
func (x *index) incident(c *call) Incident {
	switch {
	case c.pending(x.crash) && x.crash.Blame == toolsCrash:
		return ToolCrashed
	case c.pending(x.crash):
		return Crashed
	case c.pending(x.broken):
		return SessionKilled
	case c.hit:
		return WrongCall
	case c.panickedFor() != nil && c.panickedFor().Blame == toolsCrash:
		return ToolPanicked
	case c.panickedFor() != nil:
		return Panicked
	case x.hung(c) && c.struck() && !c.overdue:
		return HungByNetwork
	case x.hung(c):
		return Hung
	case x.overran(c):
		return CallerOverran
	}
	return ""
}

// hung reports whether the caller of c waited in vain. Who was waiting when the
// application closed the client may be released by that.
func (x *index) hung(c *call) bool {
	end := x.ended()
	if !c.pending(end) || end.At == c.issue.At {
		return false
	}
	return !x.abrupt || end == x.horizon || c.ret == nil || before(x.stalled, c.ret)
}

// struck reports whether the network was at fault in an exchange that was to bring the
// answer to c: that of its request, one that resumed it, or the one that carried it.
func (c *call) struck() bool {
	if c.req == nil {
		return false
	}
	hit := func(f *frame) bool { return f != nil && f.on != nil && f.on.fault != nil }
	return hit(c.req.frame) || hit(c.req.first) || c.req.struck
}

// overran reports whether the caller was held until its cancel had been written,
// which had to wait.
func (x *index) overran(c *call) bool {
	if c.cancel == nil || c.ret == nil || c.req == nil || c.req.cancel == nil || c.ret.Text == "" {
		return false
	}
	wrote := c.req.cancel.wrote
	return before(wrote, c.ret) && span(c.cancel, wrote) > 0 && c.ret.At == wrote.At
}
