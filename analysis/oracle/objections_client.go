package oracle

import (
	"fmt"

	"github.com/mcpsim/mcpsim/sim/history"
)

// neverIssued: R3 and R6.
func (d *defence) neverIssued() string {
	f := d.frame()
	if f == nil || f.msg == nil || f.req != nil {
		return ""
	}
	return fmt.Sprintf("No. No request of that side ever had the id %s.", cutAt(f.msg.Ref, maxQuote))
}

func (d *defence) names() string {
	if !d.act.Msg.IsCancel() || d.act.Msg.Ref == "" {
		return ""
	}
	return fmt.Sprintf("No. It named the id %s.", cutAt(d.act.Msg.Ref, maxQuote))
}

// merelyArrived: R5.
func (d *defence) merelyArrived() string {
	if d.act.Kind != history.Return {
		return ""
	}
	if d.act.Call != d.v.Call {
		return fmt.Sprintf("No. The caller of call %d was given its value %s.", d.act.Call, d.when(d.act))
	}
	return fmt.Sprintf("No. The caller, who had given up, was given its value %s.", d.when(d.act))
}

func (d *defence) readFirst() string {
	r := d.request()
	if r == nil || r.cancel == nil || !before(r.cancel.write, r.readReply) {
		return ""
	}
	w := r.cancel.write
	return fmt.Sprintf("No. It wrote the cancel %s and read the response %s, %s.", d.when(w), d.when(r.readReply), lapse(w, r.readReply))
}

func (d *defence) replyRead() string {
	r := d.request()
	switch {
	case r == nil || d.call == nil || d.call.cancel == nil:
		return ""
	case r.readReply == nil:
		return "No. It never read one."
	case before(d.call.cancel, r.readReply):
		return fmt.Sprintf("No. It read it %s, %s than the caller gave up.", d.when(r.readReply), lapse(d.call.cancel, r.readReply))
	}
	return ""
}

func (d *defence) writerHeld() string {
	switch {
	case d.call == nil:
		return ""
	case d.call.held == nil:
		return "It could. It was writing nothing when the caller gave up."
	case d.call.held.wrote == nil:
		return ""
	}
	return fmt.Sprintf("It could. What it was writing when the caller gave up was gone %s.", d.when(d.call.held.wrote))
}

func (d *defence) unwritten() string {
	r := d.request()
	if r == nil || r.frame.write == nil {
		return ""
	}
	return fmt.Sprintf("It was written %s.", d.when(r.frame.write))
}

// applicationClosed: R7.
func (d *defence) applicationClosed() string {
	switch shut := d.x.close; {
	case shut == nil:
		return "No. It never did."
	case shut == d.act || before(d.act, shut):
		return fmt.Sprintf("No. It closed it %s, after that.", d.when(shut))
	default:
		return fmt.Sprintf("Yes, %s; what is missing is the end of that.", d.when(shut))
	}
}

func (d *defence) toolFailed() string {
	switch {
	case d.call == nil:
		return "The result of no tool is in question."
	case d.call.end == nil:
		return "No. Its tool had not returned."
	case d.call.end.Text != "" && before(d.call.told, d.call.end):
		return fmt.Sprintf("No. Its tool gave up because it had been told to, %s.", d.when(d.call.told))
	case d.call.end.Text != "":
		return ""
	}
	return fmt.Sprintf("No. Its tool returned a result %s.", d.when(d.call.end))
}

func (d *defence) networkHolds() string {
	if d.x.enRoute(d.act) {
		return "It did, which excuses what is missing, and not this."
	}
	return "No. Everything that had been written by then had arrived."
}

func (d *defence) toolsRun() string {
	if d.act != d.x.stalled {
		return "The closing of the session is not in question."
	}
	if d.x.moment(d.act).holdsOut > 0 {
		return ""
	}
	return "No. Every tool had returned, or had been told and is one that stops."
}

func (d *defence) foreignCrash() string {
	if d.act.Kind != history.Crash {
		return "Nothing crashed."
	}
	whose := d.act.Blame + "'s"
	if d.act.Blame == "pair" {
		whose = "implementation's, which both sides run"
	}
	return fmt.Sprintf("No. The first of these on the stack is the %s.", whose)
}

func (d *defence) crashed() string {
	if d.x.crash != nil && before(d.x.crash, d.act) {
		return ""
	}
	return "No. Nothing crashed before the caller had waited in vain."
}

func (d *defence) toolLeaks() string {
	if d.act.Kind != history.Leak {
		return ""
	}
	return fmt.Sprintf("No. The code that it is stuck in is %s.", stuckWhere(d.act.Text))
}

// stuckWhere names the innermost function outside the standard library.
func stuckWhere(stack string) string {
	if own := ownFrames(stack, 1); len(own) > 0 {
		return own[0]
	}
	return "the standard library's alone"
}

func (d *defence) simulatorWaits() string {
	if d.act.Kind != history.Leak {
		return ""
	}
	return fmt.Sprintf("No. It was created by %s.", cutAt(creator(d.act.Text), maxSignature))
}

// mayHaveBelieved: R1.
func (d *defence) mayHaveBelieved() string {
	if d.call == nil || d.call.ret == nil || !before(d.call.ret, d.act) {
		return ""
	}
	ret := d.call.ret
	return fmt.Sprintf("No. Nobody had given the call up. Its caller was given the value %s, and the cancel was written %s.", d.when(ret), lapse(ret, d.act))
}
