package reference

import (
	"context"
	"errors"
	"strings"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// An answering is a request of the server's that the client's application works on.
type answering struct {
	tell   context.CancelFunc // tells the application to stop
	closed bool               // nothing may be sent for it any more. Guarded by link.mu
}

// clientCapabilities declares what the application answers, as a raw JSON object;
// empty: nothing.
func clientCapabilities(env sim.ClientEnv) string {
	var out []string
	if env.Sample != nil {
		out = append(out, `"sampling":{}`)
	}
	if env.Elicit != nil {
		out = append(out, `"elicitation":{}`)
	}
	if len(env.Roots) > 0 {
		out = append(out, `"roots":{}`)
	}
	if len(out) == 0 {
		return ""
	}
	return `{` + strings.Join(out, ",") + `}`
}

// serve answers a request of a legacy server's: at once, or when the application has
// an answer. An error ends the link.
func (l *link) serve(m *history.Message) error {
	l.noteForeign(m.ID)
	answer, what := l.application(m)
	if answer == nil {
		return l.reply(l.ownAnswer(m))
	}
	ctx, tell := context.WithCancel(l.ctx)
	a := &answering{tell: tell}
	l.mu.Lock()
	l.asked[m.ID] = a
	l.mu.Unlock()
	l.ends.Go(func() {
		defer tell()
		text, err := answer(ctx, what)
		if err := l.settle(m, a, answerFrame(m, text, err)); err != nil {
			l.fail(err)
		}
	})
	return nil
}

// application returns the code that answers a request, and what it is asked; nil if
// the client answers by itself.
func (l *link) application(m *history.Message) (answer func(context.Context, string) (string, error), what string) {
	params := protocol.Member(m.Raw, "params")
	switch m.Method {
	case protocol.Sampling:
		return l.env.Sample, protocol.SamplingText(params)
	case protocol.Elicitation:
		what, _ = protocol.Text(protocol.Member(params, "message"))
		return l.env.Elicit, what
	}
	return nil, ""
}

// ownAnswer answers what needs no code of the application's.
func (l *link) ownAnswer(m *history.Message) []byte {
	switch {
	case m.Method == protocol.Ping:
		return protocol.AppendResult(nil, m.ID, `{}`)
	case m.Method == protocol.RootsList && len(l.env.Roots) > 0:
		var roots []string
		for _, uri := range l.env.Roots {
			roots = append(roots, `{"uri":`+quote(uri)+`}`)
		}
		return protocol.AppendResult(nil, m.ID, `{"roots":[`+strings.Join(roots, ",")+`]}`)
	}
	return protocol.AppendError(nil, m.ID, protocol.RPCError{
		Code: protocol.MethodNotFound, Message: "method not found: " + m.Method,
	})
}

func answerFrame(m *history.Message, text string, err error) []byte {
	if err != nil {
		return protocol.AppendError(nil, m.ID, internalError(err))
	}
	if m.Method == protocol.Sampling {
		return protocol.AppendResult(nil, m.ID,
			`{"role":"assistant","content":{"type":"text","text":`+quote(text)+`},"model":"none"}`)
	}
	return protocol.AppendResult(nil, m.ID, `{"action":"accept","content":{"answer":`+quote(text)+`}}`)
}

// settle queues the answer to a request, unless it was cancelled before.
func (l *link) settle(m *history.Message, a *answering, frame []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down != nil || a.closed && !l.answersRetracted() {
		return nil
	}
	if l.asked[m.ID] == a {
		delete(l.asked, m.ID)
	}
	return l.enqueueReply(frame)
}

var errTooMany = errors.New("the server asks and does not read the answers")

// retracted acts on the server's cancel of a request of its own. What is unknown, or
// has its answer in the queue already, is ignored.
func (l *link) retracted(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.asked[id]
	if a == nil {
		return
	}
	a.closed = true
	delete(l.asked, id)
	if !l.orphansAnswers() {
		a.tell()
	}
}
