package oracle

import (
	"fmt"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// begunBefore: R1.
func (d *defence) begunBefore() string {
	c := d.cancelRead()
	if c == nil || !before(c, d.act) {
		return ""
	}
	return fmt.Sprintf("No. It read the cancel %s and began to write %s, %s.", d.when(c), d.when(d.act), lapse(c, d.act))
}

// handlerOver: R2.
func (d *defence) handlerOver() string {
	c := d.cancelRead()
	if c == nil || d.call.start == nil {
		return "No. No handler had begun."
	}
	told, end := d.x.telling(d.call), d.call.end
	switch {
	case end == nil:
		return "No. Nothing was ever seen of its end."
	case !before(c, end):
		return ""
	case told != nil && before(told, end):
		return fmt.Sprintf("No. It was told of the cancel %s and %s %s.", d.when(told), returned(end), d.when(end))
	}
	return fmt.Sprintf("No. It %s %s, %s.", returned(end), d.when(end), lapse(c, end))
}

// returned says what a handler did at its end.
func returned(end *history.Event) string {
	if end.Text != "" {
		return fmt.Sprintf("returned the error %q", excerpt(end.Text))
	}
	return "returned a result"
}

// passedInside: R14.
func (d *defence) passedInside() string {
	c := d.cancelRead()
	if c == nil || !before(c, d.act) {
		return ""
	}
	if d.act.At > c.At {
		return fmt.Sprintf("No. Time passed between them: %s.", strings.TrimSuffix(lapse(c, d.act), " later"))
	}
	if told := d.x.telling(d.call); before(told, d.act) {
		return fmt.Sprintf("No. It is one instant, but in between the handler had been told (event %d): the server had acted on the cancel before it wrote.", told.Seq)
	}
	if d.call.start != nil && !before(d.call.end, d.act) {
		return "No. It is one instant, but the handler was still running: what was written does not come from its end."
	}
	return ""
}

// requestUnknown: R4.
func (d *defence) requestUnknown() string {
	c := d.cancelRead()
	if c == nil || d.call.req.frame.read == nil {
		return ""
	}
	r := d.call.req.frame
	return fmt.Sprintf("No. It had read the request, %s with id %s, %s.", r.msg.Method, cutAt(r.msg.ID, maxQuote), d.when(r.read))
}

func (d *defence) idReused() string {
	r := d.request()
	if r == nil || r.reused {
		return ""
	}
	return fmt.Sprintf("No. No other request had the id %s while this one was open.", cutAt(r.frame.msg.ID, maxQuote))
}

// request is the one that the violation is about, by its call or by the frame
// that offends.
func (d *defence) request() *request {
	if d.call != nil {
		return d.call.req
	}
	if f := d.frame(); f != nil {
		return f.req
	}
	return nil
}

// frame is the one that offends; nil if the offence is none.
func (d *defence) frame() *frame {
	return d.x.frames.get(d.act.Frame)
}

func (d *defence) obeys() string {
	switch {
	case d.call == nil:
		return ""
	case !d.call.Obedient() && d.x.modern:
		return fmt.Sprintf("The tool %q is, which is no excuse at this protocol version.", d.call.Handler)
	case !d.call.Obedient():
		return ""
	}
	if told, end := d.x.telling(d.call), d.call.end; before(told, end) && end.Text != "" {
		return fmt.Sprintf("No. The tool %q stops when it is told, and did.", d.call.Handler)
	}
	return fmt.Sprintf("No. The tool %q is one that stops when it is told.", d.call.Handler)
}

// progressInTransit: R8.
func (d *defence) progressInTransit() string {
	if d.isReply() {
		return "It was no progress, but a response."
	}
	return d.begunBefore()
}

// progressWaited: R8.
func (d *defence) progressWaited() string {
	c := d.cancelRead()
	if d.isReply() {
		return "It was no progress, but a response."
	}
	f := d.frame()
	if c == nil || f == nil {
		return ""
	}
	asked := d.x.askedBefore(d.call)
	if asked == 0 {
		return "No. The tool had asked for none by then."
	}
	return fmt.Sprintf("No. It is number %d of the call's progress, and the tool had asked for %d by then.", f.nth, asked)
}

// writtenBeforeReply: R8.
func (d *defence) writtenBeforeReply() string {
	r := d.request()
	if r == nil || r.first == nil || !before(r.first.write, d.act) {
		return ""
	}
	w := r.first.write
	return fmt.Sprintf("No. The writing of the response began %s, and that of the progress %s.", d.when(w), lapse(w, d.act))
}

func (d *defence) sharedToken() string {
	switch r := d.request(); {
	case d.isReply():
		return "It was no progress, but a response."
	case r == nil || r.shared:
		return ""
	default:
		return fmt.Sprintf("No. No other active request had the token %s.", cutAt(r.frame.msg.Token, maxQuote))
	}
}

// sessionOver: R7.
func (d *defence) sessionOver() string {
	switch over := d.x.overFor(d.request()); {
	case over == nil:
		return "No. Nothing was seen of its end."
	case before(over, d.act):
		return ""
	case over == d.act && d.due() != nil:
		return fmt.Sprintf("Not before %s: it was open for %s more.", millis(over.At-d.origin), millis(over.At-d.due().At))
	default:
		return fmt.Sprintf("No. The first sign of its end came %s.", d.when(over))
	}
}

// due is the event upon which the accused had to act.
func (d *defence) due() *history.Event {
	if c := d.cancelRead(); c != nil || d.call == nil {
		return c
	}
	return d.call.cancel
}

// toldInTime: R13.
func (d *defence) toldInTime() string {
	c := d.cancelRead()
	if c == nil {
		return ""
	}
	if told := d.x.telling(d.call); told != nil {
		return fmt.Sprintf("No. It was told %s, %s than the cancel was read.", d.when(told), lapse(c, told))
	}
	return fmt.Sprintf("No. Its context was not done: not %s, when it had run on for %s.", d.when(d.act), millis(d.act.At-c.At))
}
