package oracle

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// The oracles of how messages travel by HTTP: of the heads of requests, and of what a
// notification is answered with.

func httpExchangeChecks() []check {
	return []check{
		{rule: "HTTP-POST-PER-MSG", side: history.Client, exchange: postPerMessage},
		{rule: "HTTP-ACCEPT", side: history.Client, exchange: acceptsBoth},
		{rule: "HTTP-202", side: history.Server, exchange: accepted},
		{rule: "HTTP-SESSION", side: history.Client, exchange: namesSession},
		{rule: "HTTP-VERSION-HDR", side: history.Client, exchange: namesVersion},
		{rule: "HTTP-M-HEADERS", side: history.Client, exchange: repeatsInHeaders},
	}
}

// Why something was not counted.
const (
	whyRefused = "a notification that the server refused"
	whyNotYet  = "in the instant in which the client came to know it"
)

// wrong is a violation in an exchange, of a side, with the call that it is for.
func (e *exchange) wrong(side history.Side, what string) Violation {
	if len(e.asks) == 0 {
		return Violation{Side: side, What: what, Lateness: -1}
	}
	v := e.asks[0].offence(what)
	v.Side = side
	return v
}

// postPerMessage: each message is a POST of its own.
func postPerMessage(x *index, e *exchange, t *tally) {
	if e.head == nil || e.carried == 0 {
		return
	}
	v := e.wrong(history.Client, "")
	batched := e.carried > 1 || e.notice != nil && e.notice.msg.Kind == history.Invalid && isBatch(e.notice.msg.Raw)
	switch {
	case !e.isPost():
		v.What = "sent a message by HTTP " + e.head.Method
		t.fail(v, e.begin[atClient])
	case batched && x.header.SpecVersion != batchVersion:
		v.What = "sent several messages by one POST"
		t.fail(v, e.begin[atClient])
	case x.modern && e.notice != nil && e.notice.msg.IsReply():
		v.What = "posted a response"
		t.failUnder("SERVER-NO-REQUESTS", v, e.notice.write)
	default:
		t.pass()
	}
}

// acceptsBoth: a client says that it takes a JSON object and an SSE stream.
func acceptsBoth(_ *index, e *exchange, t *tally) {
	var needed []string
	switch {
	case e.isPost():
		needed = []string{jsonType, streamType}
	case e.isGet():
		needed = []string{streamType}
	default:
		return
	}
	for _, kind := range needed {
		if !accepts(e.head.Accept, kind) {
			t.fail(e.wrong(history.Client, fmt.Sprintf("sent an HTTP %s that does not accept %s", e.head.Method, kind)), e.begin[atClient])
			return
		}
	}
	t.pass()
}

const (
	jsonType   = "application/json"
	streamType = "text/event-stream"
)

// accepts reports whether an Accept header lists a type.
func accepts(header, kind string) bool {
	return slices.ContainsFunc(strings.Split(header, ","), func(item string) bool {
		name, params, _ := strings.Cut(item, ";")
		return strings.EqualFold(strings.TrimSpace(name), kind) && !never(params)
	})
}

// never reports whether the parameters of an accepted type give it the weight nought.
func never(params string) bool {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(param), "=")
		if weight, err := strconv.ParseFloat(value, 64); strings.EqualFold(name, "q") && err == nil {
			return weight == 0
		}
	}
	return false
}

// accepted: a notification that the server takes is answered with 202, and nothing else.
func accepted(x *index, e *exchange, t *tally) {
	f := e.notice
	if f == nil || !e.isPost() || len(e.asks) > 0 || f.msg.Kind == history.Invalid {
		return
	}
	status := e.status[atServer]
	if e.panicked() != nil {
		t.leave(whyPanicked)
		return
	}
	if status == nil || status.HTTP == nil {
		x.judgeUnaccepted(e, t)
		return
	}
	fail := func(what string, events ...*history.Event) {
		v := e.wrong(history.Server, what)
		v.Lateness = span(f.read, status)
		t.fail(v, append(events, status)...)
	}
	switch code, body := status.HTTP.Status, e.body(); {
	case code >= 300: // or sent elsewhere
		t.leave(whyRefused)
	case code != 202:
		fail(fmt.Sprintf("answered the POST of a notification with status %d", code), f.read)
	case e.said > 0 && f.provoked != nil:
		t.failUnder("CANCEL-NO-REPLY", replyTo(f), f.read, f.provoked)
	case e.said > 0 || body != "":
		fail("answered the POST of a notification with a body", f.read)
	case e.heldBy != nil && f.mixes():
		t.leave(whyUnclearID)
	case e.heldBy != nil && x.grace > 0:
		t.undecided++
		t.leave(whyWithinGrace)
	case e.heldBy != nil:
		fail("did not answer the POST of a cancel before the handler of the cancelled call had ended", f.read, e.heldBy)
	default:
		t.pass()
	}
}

// body is what the client read of a body that is no message, which the server sent.
func (e *exchange) body() string {
	for _, at := range [...]*history.Event{e.status[atServer], e.finish[atClient]} {
		if at != nil && at.HTTP != nil && e.fault == nil && strings.TrimSpace(at.HTTP.Body) != "" {
			return at.HTTP.Body
		}
	}
	return ""
}

// judgeUnaccepted judges a POST of a notification that was not answered.
func (x *index) judgeUnaccepted(e *exchange, t *tally) {
	end := earlier(earlier(x.overOf(e), x.horizon), x.last)
	if e.notice.read == nil || e.disturbed() != nil || e.begin[atServer] == nil || span(e.notice.read, end) <= x.promptly() {
		return
	}
	v := e.wrong(history.Server, "did not answer the POST of a notification")
	v.Lateness = span(e.notice.read, end)
	t.fail(v, e.notice.read, end)
}

// namesSession: a client with a session names it in every request.
func namesSession(x *index, e *exchange, t *tally) {
	s := e.session
	if s == nil || e.head == nil || e.leaving || e.opens() || e.untold() {
		return
	}
	switch given := e.head.Session; {
	case given == s.id:
		t.pass()
	case e.begin[atClient].At <= s.since.At+x.grace && !e.announces():
		t.leave(whyNotYet)
	case given == "":
		t.fail(e.wrong(history.Client, "sent a request without the id of its session"), s.since, e.begin[atClient])
	default:
		t.fail(e.wrong(history.Client, "sent a request with the id of another session"), s.since, e.begin[atClient])
	}
}

// opens reports whether the exchange carries an initialize.
func (e *exchange) opens() bool {
	return len(e.asks) > 0 && e.asks[0].frame.msg.Method == initializeMethod
}

// untold reports whether the exchange is a POST of which was not seen what it carries: the
// history may end there.
func (e *exchange) untold() bool { return e.isPost() && e.carried == 0 }

// announces reports whether it carries the word that the client has begun, which it sends
// when it has the result of initialize.
func (e *exchange) announces() bool {
	return e.notice != nil && e.notice.msg.Method == "notifications/initialized"
}

// namesVersion: a client names the protocol version in a header.
func namesVersion(x *index, e *exchange, t *tally) {
	switch {
	case e.head == nil || e.opens() || e.untold():
	case x.modern:
		judgeVersion(e, t)
	case e.versions == nil:
	case e.head.Version != "":
		t.pass()
	case e.begin[atClient].At <= e.versions.At+x.grace && !e.announces():
		t.leave(whyNotYet)
	default:
		t.fail(e.wrong(history.Client, "sent a request without the protocol version"), e.versions, e.begin[atClient])
	}
}

// judgeVersion judges the header of a modern request, which repeats what its _meta says.
func judgeVersion(e *exchange, t *tally) {
	if !e.isPost() || len(e.asks) == 0 {
		return
	}
	inside := metaVersion(e.asks[0].frame.msg)
	switch {
	case e.head.Version == "":
		t.fail(e.wrong(history.Client, "sent a request without the protocol version"), e.begin[atClient])
	case inside != "" && inside != e.head.Version:
		t.fail(e.wrong(history.Client, "named another protocol version in the header than in _meta"), e.begin[atClient])
	default:
		t.pass()
	}
}

// metaVersion is the protocol version that a request names in its _meta; empty: none.
func metaVersion(m *history.Message) string {
	var frame struct {
		Params struct {
			Meta struct {
				Version string `json:"io.modelcontextprotocol/protocolVersion"`
			} `json:"_meta"`
		} `json:"params"`
	}
	if err := json.Unmarshal([]byte(m.Raw), &frame); err != nil {
		return ""
	}
	return frame.Params.Meta.Version
}

// repeatsInHeaders: a modern client says in headers which method it asks for, and of what.
func repeatsInHeaders(_ *index, e *exchange, t *tally) {
	if !e.isPost() || len(e.asks) == 0 || e.opens() {
		return
	}
	m := e.asks[0].frame.msg
	name, named := subject(m)
	fail := func(what string) { t.fail(e.wrong(history.Client, what), e.begin[atClient]) }
	switch h := e.head; {
	case h.MCPMethod == "":
		fail("sent a request without Mcp-Method")
	case h.MCPMethod != m.Method:
		fail("named another method in the header than in the request")
	case named && h.MCPName == "":
		fail("sent a " + m.Method + " without Mcp-Name")
	case named && !spells(h.MCPName, name):
		fail("named another thing in Mcp-Name than in the request")
	default:
		t.pass()
	}
}

// subject returns what a request is about, if that is to be repeated in a header.
func subject(m *history.Message) (name string, named bool) {
	var frame struct{ Params struct{ Name, URI string } }
	if err := json.Unmarshal([]byte(m.Raw), &frame); err != nil {
		return "", false
	}
	switch m.Method {
	case "tools/call", "prompts/get":
		return frame.Params.Name, frame.Params.Name != ""
	case "resources/read":
		return frame.Params.URI, frame.Params.URI != ""
	}
	return "", false
}

// spells reports whether a header stands for a name: as it is, or in Base64.
func spells(header, name string) bool {
	if header == name {
		return true
	}
	inner, begun := strings.CutPrefix(header, "=?base64?")
	inner, ended := strings.CutSuffix(inner, "?=")
	decoded, err := base64.StdEncoding.DecodeString(inner)
	return begun && ended && err == nil && string(decoded) == name
}
