package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A Question is what a tool of kind asking asks the client.
type Question struct {
	Kind    string       // see Questions
	Handler string       // how the client's application answers: cooperative or stubborn; empty for roots/list, which is answered at once
	Work    Distribution // how long it takes; roots/list: zero
}

const exampleQuestion = "{kind: sampling/createMessage, work: 100ms}"

func (d *decoder) question(to *Question, n *node, path string) {
	if !n.says("kind", protocol.RootsList) {
		to.Handler = Cooperative
	}
	d.mapping(n, path,
		key{"kind", d.text(&to.Kind, protocol.Sampling), protocol.Sampling},
		key{"handler", d.text(&to.Handler, Cooperative), ""},
		key{"work", d.distribution(&to.Work), ""},
	)
}

// question checks what a handler asks, if it is of the kind that does.
func (c *checker) question(path string, h Handler) {
	at := path + ".asks"
	q := h.Asks
	switch {
	case h.Kind != Asking && q != (Question{}):
		c.fault(at, "asks has no meaning for "+h.Kind, "leave it out")
	case h.Kind != Asking:
	case q.Kind == "":
		c.fault(at, "asks has to be given for "+Asking, "write asks: "+exampleQuestion)
	case q.Kind == protocol.RootsList:
		if q.Handler != "" || q.Work != (Distribution{}) {
			c.fault(at, "no code of the application's answers "+q.Kind, "leave handler and work out")
		}
	default:
		c.oneOf(at+".kind", q.Kind, Questions()...)
		c.oneOf(at+".handler", q.Handler, Cooperative, Stubborn)
		c.distribution(at+".work", q.Work, maxHandlerTime)
		if q.Work == (Distribution{}) {
			c.fault(at+".work", "how long the client takes to answer is missing", "write work: 100ms")
		}
	}
}

// format writes the question as flow YAML.
func (q Question) format() string {
	if q.Kind == protocol.RootsList {
		return "{kind: " + q.Kind + "}"
	}
	return fmt.Sprintf("{kind: %s, handler: %s, work: %s}", q.Kind, q.Handler, formatDistribution(q.Work))
}

// draw draws the question of one call, which gets that number; nil if there is none.
func (q Question) draw(number int, draw func(label string, d Distribution) time.Duration) *ScheduledAsk {
	if !slices.Contains(Questions(), q.Kind) {
		return nil
	}
	ask := &ScheduledAsk{Call: number, Method: q.Kind, Handler: q.Handler}
	if q.Handler != "" {
		ask.Work = draw("answer", q.Work)
	}
	return ask
}
