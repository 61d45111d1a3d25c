package spacetime

import "github.com/mcpsim/mcpsim/sim/history"

// idle reports whether the client's giving the exchange up tells nothing: it had all
// that it could wait for.
func (x *exchange) idle() bool {
	switch {
	case x.dropped < 0:
		return false
	case x.method == "GET":
		over := x.returned >= 0 && x.returned < x.dropped
		return over || x.resume != "" && x.answered(x.dropped, true) > 0
	}
	if x.asks > 0 && x.answered(x.dropped, true) >= x.asks {
		return true
	}
	seen := x.heads[atClient] >= 0 && x.heads[atClient] < x.dropped
	return seen && (x.asks == 0 || x.head.Status != 200 || !x.stream() && !x.json())
}

// firstAnswer is the message that came with the response's head, if one did: then one
// row says both.
func (x *exchange) firstAnswer(events []history.Event) *frame {
	at := x.heads[atServer]
	if at < 0 || len(x.answers) == 0 {
		return nil
	}
	f := x.answers[0]
	if f.sent < at || events[f.sent].At != events[at].At || isProgress(f.msg) || f.msg == nil {
		return nil
	}
	return f
}

// signal makes arrows of what goes from one side to the other and is no message: a
// request without a body, a response's head, the closing of a stream.
func (sc *scene) signal(x *exchange) {
	if x.request == nil {
		sc.join(x, history.Client, opening, x.begun, x.entered)
	}
	if f := x.firstAnswer(sc.h.Events); f != nil {
		f.headed = true
	} else {
		sc.join(x, history.Server, heading, x.heads[atServer], x.heads[atClient])
		if at := x.heads[atServer]; at >= 0 && x.heads[atClient] < 0 && (x.dropped >= 0 || x.finished >= 0) {
			sc.frames[at].lost = true
		}
	}
	if x.idle() {
		return
	}
	if x.dropped >= 0 {
		sc.join(x, history.Client, closing, x.dropped, x.gone)
		f := sc.frames[x.dropped]
		f.lost = f.landed < 0 // nobody was there to see it
	}
}

// join makes an arrow from one event to another, either of which may be missing.
func (sc *scene) join(x *exchange, from history.Side, what sort, sent, landed int) {
	if landed < sent {
		landed = -1
	}
	if sent < 0 && landed < 0 {
		return
	}
	f := &frame{sort: what, exchange: x, from: from, call: x.call, sent: sent, landed: landed, flight: -1, arrived: -1}
	for _, i := range []int{sent, landed} {
		if i >= 0 {
			sc.frames[i] = f
		}
	}
	if landed >= 0 {
		f.land(landed, sc.h.Events[landed], sc.h.Events)
		f.lies = false
	}
}

// signalStep is the step for one end of an arrow that HTTP has and JSON-RPC has not.
func (sc *scene) signalStep(i int, f *frame) step {
	s := step{shape: depart, call: f.call, side: f.from, frame: f}
	if f.sent != i {
		s.shape, s.side = arrive, f.from.Peer()
	}
	if f.unheard {
		s.texts = []string{name(f.msg) + " arrives, its body is not read"}
	} else {
		s.texts = sc.signalWords(f, s.side)
	}
	return s
}

// exchangeStep is what an event of an exchange looks like that is no end of an arrow.
func (sc *scene) exchangeStep(i int, e history.Event) (step, bool) {
	s := step{call: e.Call, side: e.Side}
	if x := sc.exchanges[e.Exchange]; x != nil {
		s.call = x.call
	}
	text := sc.exchangeSentence(i, e)
	if e.Kind == history.Fault {
		text, s.side = sc.faultSentence(e), history.World
	}
	s.texts = []string{text}
	if l := sc.calls[s.call]; l != nil && s.call != 0 && l.cancelRead == i {
		s.aside = asides[sc.results[s.call].Phase]
	}
	return s, text != ""
}
