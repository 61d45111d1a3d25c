package spacetime

import (
	"strconv"
	"strings"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A sort says what an arrow is.
type sort byte

const (
	message sort = iota
	opening      // an HTTP request without a message
	heading      // a response's head
	closing      // the client gives an exchange up
)

// title is an exchange in a few words: what it asks for.
func (x *exchange) title() string {
	switch {
	case x.request != nil && x.request.msg != nil:
		return strings.TrimSpace(x.verb() + " " + name(x.request.msg))
	case x.resume != "":
		return x.verb() + " from event " + id(x.resume)
	case x.method == "DELETE":
		return "DELETE of the session"
	}
	return x.verb()
}

// verb is the method of the HTTP request.
func (x *exchange) verb() string {
	if x.method == "" {
		return "request"
	}
	return x.method
}

func (x *exchange) stream() bool { return strings.HasPrefix(x.head.ContentType, "text/event-stream") }
func (x *exchange) json() bool   { return strings.HasPrefix(x.head.ContentType, "application/json") }

// status is the response's head: its code, and what it says about what follows.
func (x *exchange) status() string {
	code := strconv.Itoa(x.head.Status)
	switch {
	case x.head.Status == 200 && x.stream():
		return code + " SSE"
	case x.head.Status == 200 && x.json():
		return code + " JSON"
	}
	return strings.TrimSpace(code + " " + statusText(x.head.Status))
}

// statusText is what HTTP calls the codes that mean trouble.
func statusText(code int) string {
	switch code {
	case 400:
		return "Bad Request"
	case 401:
		return "Unauthorized"
	case 403:
		return "Forbidden"
	case 404:
		return "Not Found"
	case 405:
		return "Method Not Allowed"
	case 406:
		return "Not Acceptable"
	case 409:
		return "Conflict"
	case 415:
		return "Unsupported Media Type"
	case 429:
		return "Too Many Requests"
	case 500:
		return "Internal Server Error"
	case 502:
		return "Bad Gateway"
	case 503:
		return "Service Unavailable"
	case 504:
		return "Gateway Timeout"
	}
	return ""
}

// to names what a response answers.
func (x *exchange) to() string {
	if x.request != nil && x.request.msg != nil {
		return name(x.request.msg)
	}
	return x.verb()
}

// signalWords say what an arrow without a message is at one of its ends, in ever fewer
// words.
func (sc *scene) signalWords(f *frame, side history.Side) []string {
	x := f.exchange
	switch f.sort {
	case opening:
		if side == history.Server {
			return []string{x.title() + " arrives" + sc.atInstance(x)}
		}
		return []string{x.title(), strings.Replace(x.title(), "from event", "from", 1), x.verb()}
	case heading:
		return sc.headWords(f, side)
	}
	if side == history.Server {
		return []string{"sees client gone"}
	}
	what := "aborts "
	if at := x.heads[atClient]; at >= 0 && at < f.sent {
		what = "closes the response stream of "
		switch {
		case x.request == nil:
			what = "closes the stream of "
		case !x.stream():
			what = "drops the response to "
		}
		return []string{what + x.to(), strings.TrimSuffix(strings.TrimSuffix(what, " of "), " to ")}
	}
	return []string{what + x.title(), what + "the " + x.verb()}
}

// headWords say what a response's head says, and who it is of where that is not the
// server.
func (sc *scene) headWords(f *frame, side history.Side) []string {
	x := f.exchange
	brief := x.status()
	if x.proxied() {
		return []string{brief + " from the proxy (scenario)", strconv.Itoa(x.head.Status) + " from the proxy (scenario)", brief}
	}
	if side == history.Client && x.said != "" && x.head.Status >= 300 {
		said := strconv.Quote(strings.TrimSpace(x.said))
		return []string{brief + " to " + x.to() + ": " + said, brief + ": " + said, strconv.Itoa(x.head.Status) + ": " + said, brief}
	}
	return []string{brief + " to " + x.to(), brief}
}

// proxied reports whether the response is not the server's.
func (x *exchange) proxied() bool {
	return x.heads[atServer] < 0 && x.heads[atClient] >= 0 && x.fault >= 0
}

// atInstance says which of several servers an exchange reached.
func (sc *scene) atInstance(x *exchange) string {
	if x == nil || x.server == 0 || sc.h.Header.Instances < 2 {
		return ""
	}
	return " at server " + strconv.Itoa(x.server)
}

// faultSentence says what the network was asked to do to an exchange. It is drawn as
// the request comes by, before it shows.
func (sc *scene) faultSentence(e history.Event) string {
	what := "an exchange"
	if x := sc.exchanges[e.Exchange]; x != nil {
		what = x.title()
	}
	doing, ok := faults[e.Text]
	if !ok {
		doing = e.Text
	}
	return what + ": " + doing + " (scenario)"
}

// faults are what a scenario can have the network do, in words.
var faults = map[string]string{
	"slow-post":   "its body comes piece by piece",
	"hold":        "held back on its way",
	"cut":         "its response is to break off",
	"drop":        "its connection is to break",
	"buffer":      "the proxy buffers its response",
	"timeout":     "the proxy is to give the server up",
	"bad-gateway": "the proxy refuses it with a 502",
	"unanswered":  "the proxy swallows it",
	"misroute":    "the balancer takes the wrong server",
}

// exchangeSentence says what happened to an exchange at one of its ends; empty where
// another row says it, or nobody needs to know.
func (sc *scene) exchangeSentence(i int, e history.Event) string {
	x := sc.exchanges[e.Exchange]
	if x == nil {
		return sc.looseSentence(e)
	}
	server := e.Side == history.Server
	switch {
	case e.Kind == history.Begin && server:
		return sc.arriving(x, i)
	case e.Kind == history.Gone && !x.idle() && x.gone == i:
		return "sees client gone"
	case e.Kind == history.Cue:
		return cueSentence(e)
	case e.Kind == history.Finish && server:
		if panicked, _, _ := strings.Cut(e.Text, "\n"); panicked != "" {
			return "the handler of " + x.title() + " breaks off: " + panicked
		}
		return sc.ending(x, i)
	case e.Kind == history.Finish:
		return sc.finishing(x, i, e)
	case e.Kind == history.Status && !server:
		if f := x.firstAnswer(sc.h.Events); f != nil && f.lost {
			return x.status() + " to " + x.to() + ", without its body"
		}
	}
	return ""
}

// cueSentence says when a client is to resume the stream, empty for an event that has an id
// alone: that matters once the client names it.
func cueSentence(e history.Event) string {
	if e.Value == "" {
		return ""
	}
	who, after := "hears", e.Value+" ms"
	if e.Side == history.Server {
		who = "says"
	}
	if ms, err := strconv.ParseInt(e.Value, 10, 64); err == nil && ms < 1<<40 {
		after = short(time.Duration(ms) * time.Millisecond)
	}
	return who + ": resume after " + after
}

// looseSentence is for events that name no exchange: damaged ones.
func (sc *scene) looseSentence(e history.Event) string {
	return "exchange without a number: " + string(e.Kind)
}

// arriving is about a request of which the server has the head, and not the body.
func (sc *scene) arriving(x *exchange, i int) string {
	f := x.request
	switch {
	case f == nil || x.entered != i:
		return ""
	case f.landed < 0:
		return x.title() + " begins to arrive"
	case f.landed > i && sc.h.Events[f.landed].At > sc.h.Events[i].At:
		return x.title() + " begins to arrive"
	}
	return ""
}

// ending is about a server that is done with an exchange: worth a row if the client
// waits for more, or had waited for the end.
func (sc *scene) ending(x *exchange, i int) string {
	if x.returned != i || x.gone >= 0 && x.gone < i || x.asks == 0 {
		return ""
	}
	n := x.answered(i, false)
	switch {
	case n < x.asks && x.head.Status != 200:
		return "" // refused, or to be answered on another stream: its status says so
	case n == 0:
		return "ends the response to " + x.to() + " without an answer"
	case n < x.asks:
		return "ends the response without all answers"
	}
	last := x.answers[len(x.answers)-1]
	if late := sc.h.Events[i].At - sc.h.Events[max(0, last.sent)].At; last.sent >= 0 && late > 0 {
		return "ends the response, " + short(late) + " after its last message"
	}
	return ""
}

// finishing is about a client whose response has come to its end, if it wanted more.
func (sc *scene) finishing(x *exchange, i int, e history.Event) string {
	seen := x.heads[atClient] >= 0 && x.heads[atClient] < i
	switch {
	case x.finished != i:
		return ""
	case e.Text != "" && !seen:
		return x.title() + " fails: " + lastError(e.Text)
	case e.Text != "":
		return "the response to " + x.to() + " breaks off: " + lastError(e.Text)
	case x.asks > x.answered(i, true) && x.head.Status == 200:
		return "the response to " + x.to() + " ends without an answer"
	}
	return ""
}
