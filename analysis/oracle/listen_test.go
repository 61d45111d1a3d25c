package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
)

// listenMessage makes a frame of subscriptions: "listen N" asks for the list of
// tools and for the resource r/N, "narrow N" for the resource alone; "ack N" takes
// it, "tools N" and "updated N" tell it something, "ended N" is its response, "bare
// N" one without its id, "marked N" progress with its id. "tools" alone has no id,
// "tools id 99" that of nobody.
func listenMessage(t testing.TB, m *history.Message, name string) string {
	n := callOf(name)
	kind, rest, _ := strings.Cut(name, " ")
	id := strconv.Itoa(10 + n)
	if other, ok := strings.CutPrefix(rest, "id "); ok {
		id = other
	}
	asked := fmt.Sprintf(`"notifications":{"toolsListChanged":true,"resourceSubscriptions":["r/%d"]}`, n)
	m.Kind, m.Sub = history.Notification, id
	meta := `"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}`
	if rest == "" {
		m.Sub, meta = "", `"_meta":{}`
	}
	switch kind {
	case "listen", "narrow":
		if kind == "narrow" {
			asked = strings.Replace(asked, `"toolsListChanged":true,`, "", 1)
		}
		m.Kind, m.Method, m.ID, m.Sub, m.Call = history.Request, listenMethod, id, "", n
		return `"id":` + id + `,"method":"` + listenMethod + `","params":{` + asked + `}`
	case "ack":
		m.Method = acknowledgement
		return `"method":"` + acknowledgement + `","params":{` + meta + `,` + asked + `}`
	case "tools":
		m.Method = toolsChanged
		return `"method":"` + toolsChanged + `","params":{` + meta + `}`
	case "updated":
		m.Method = resourceUpdated
		return `"method":"` + resourceUpdated + `","params":{` + meta + `,"uri":"r/` + strconv.Itoa(n) + `"}`
	case "marked":
		m.Method, m.Token = "notifications/progress", `"p2"`
		return `"method":"notifications/progress","params":{` + meta + `,"progressToken":"p2","progress":1}`
	case "ended":
		m.Kind, m.ID = history.Response, id
		return `"id":` + id + `,"result":{` + meta + `}`
	case "bare":
		m.Kind, m.ID, m.Sub = history.Response, id, ""
		return `"id":` + id + `,"result":{}`
	}
	t.Fatalf("there is no frame of the name %q", name)
	return ""
}

// subscribed is a world with a subscription that was taken.
const subscribed = `
	10 client issue 1; > listen 1
	20 server < listen 1; > ack 1
	30 client < ack 1
`

// givenUp is how it ends well.
const givenUp = `
	50 client cancel 1; > cancel 1; return 1 canceled
	60 server < cancel 1
`

func listening(text string) script {
	return script{version: modernVersion, handlers: []string{"", ""}, method: listenMethod, text: text}
}

func TestListenRules(t *testing.T) {
	for _, rule := range listenRules() {
		t.Run(rule.ID, func(t *testing.T) { runRule(t, rule.ID, listenCasesOf()[rule.ID]) })
	}
	for id := range listenCasesOf() {
		_, known := FindRule(id)
		assert.True(t, known, id)
	}
}

// listenCases are all of them.
func listenCases() []ruleCase {
	var out []ruleCase
	for _, rule := range listenRules() {
		out = append(out, listenCasesOf()[rule.ID]...)
	}
	return slices.Concat(out, stopCases())
}

func listenCasesOf() map[string][]ruleCase {
	return map[string][]ruleCase{
		"LISTEN-CANCEL": {{
			why: "silent after the cancel", want: Pass, checked: 1, script: listening(subscribed + givenUp),
		}, {
			why: "told a change later", want: Fail, checked: 1, fails: "LISTEN-CANCEL", side: history.Server,
			script: listening(subscribed + givenUp + `70 server > tools 1
				80 client < tools 1`),
		}, {
			why: "answered in the instant of the cancel, which nothing else explains", want: Fail, checked: 1, fails: "LISTEN-CANCEL",
			script: listening(subscribed + givenUp + `server > ended 1
				80 client < ended 1`),
		}, {
			why: "an error is an answer, too", want: Fail, checked: 1, fails: "LISTEN-CANCEL",
			script: listening(subscribed + givenUp + `70 server > error 1
				80 client < error 1`),
		}, {
			why: "told a change in the instant: it was on its way out", want: Pass, checked: 1, uncounted: whySameInstant,
			script: listening(subscribed + givenUp + `server > tools 1
				80 client < tools 1`),
		}, {
			why: "taken and cancelled in one instant: nothing proves what the answer is to", want: Pass, checked: 1, uncounted: whySameInstant,
			script: listening(`10 client issue 1; > listen 1
				12 client cancel 1; > cancel 1; return 1 canceled
				20 server < listen 1; > ack 1; < cancel 1; > ended 1
				30 client < ack 1; < ended 1`),
		}, {
			why: "the server had ended it before", want: Vacuous, uncounted: whyResponseBefore,
			script: listening(subscribed + `40 server > ended 1
				50 client cancel 1; > cancel 1; return 1 canceled
				60 server < cancel 1
				70 client < ended 1`),
		}, {
			why: "the answer had waited for a message that the network did not take", want: Vacuous, uncounted: whyServerHeld,
			script: listening(subscribed + `45 server >> tools 1
				50 client cancel 1; > cancel 1; return 1 canceled
				60 server < cancel 1
				70 server . tools 1; > updated 1; > ended 1
				80 client < tools 1; < updated 1; < ended 1`),
		}, {
			why: "a subscription that nobody gave up", want: Vacuous,
			script: listening(subscribed + `40 server > tools 1
				50 client < tools 1`),
		}},
		"LISTEN-ACK-FIRST": {{
			why: "taken, and then told", want: Pass, checked: 1,
			script: listening(subscribed + `40 server > tools 1
				45 client < tools 1` + givenUp),
		}, {
			why: "told before it was taken", want: Fail, checked: 1, fails: "LISTEN-ACK-FIRST", side: history.Server,
			script: listening(`10 client issue 1; > listen 1
				20 server < listen 1; > updated 1; > ack 1
				30 client < updated 1; < ack 1` + givenUp),
		}, {
			why: "ended without having been taken", want: Fail, checked: 1, fails: "LISTEN-ACK-FIRST",
			script: listening(`10 client issue 1; > listen 1
				20 server < listen 1; > ended 1; > ack 1
				30 client < ended 1; return 1; < ack 1`),
		}, {
			why: "refused, which needs no acknowledgement", want: Vacuous,
			script: listening(`10 client issue 1; > listen 1
				20 server < listen 1; > error 1
				30 client < error 1; return 1 refused`),
		}, {
			why: "what another subscription is told comes in between", want: Pass, checked: 2,
			script: listening(subscribed + `31 client issue 2; > listen 2
				35 server < listen 2; > tools 1; > ack 2
				40 client < tools 1; < ack 2`),
		}},
		"LISTEN-ONLY-ASKED": {{
			why: "what was asked for", want: Pass, checked: 2,
			script: listening(subscribed + `40 server > tools 1; > updated 1
				45 client < tools 1; < updated 1`),
		}, {
			why: "the list of tools, told to one that is for a resource", want: Fail, checked: 1, fails: "LISTEN-ONLY-ASKED", side: history.Server,
			script: listening(`10 client issue 1; > narrow 1
				20 server < narrow 1; > ack 1; > tools 1
				30 client < ack 1; < tools 1`),
		}, {
			why: "told to everybody, and nobody had asked", want: Fail, checked: 1, fails: "LISTEN-ONLY-ASKED", side: history.Server,
			script: listening(`10 server > tools
				20 client < tools`),
		}, {
			why: "told to everybody once the one who had asked is gone", want: Fail, checked: 1, fails: "LISTEN-ONLY-ASKED",
			script: listening(subscribed + givenUp + `70 server > tools
				80 client < tools`),
		}, {
			why: "and in the instant in which it went", want: Vacuous, uncounted: whySameInstant,
			script: listening(subscribed + givenUp + `server > tools
				80 client < tools`),
		}, {
			why: "before 2026-07-28 nobody has to ask", want: Vacuous,
			script: script{text: `10 server > tools
				20 client < tools`},
		}},
		"LISTEN-TAG": {{
			why: "all of it", want: Pass, checked: 3,
			script: listening(subscribed + `40 server > tools 1; > ended 1
				50 client < tools 1; < ended 1; return 1`),
		}, {
			why: "a change without the id", want: Fail, checked: 2, fails: "LISTEN-TAG", side: history.Server,
			script: listening(subscribed + `40 server > tools
				50 client < tools`),
		}, {
			why: "a change with the id of nobody", want: Fail, checked: 2, fails: "LISTEN-TAG",
			script: listening(subscribed + `40 server > tools id 99
				50 client < tools id 99`),
		}, {
			why: "the id in another type", want: Fail, checked: 2, fails: "LISTEN-TAG",
			script: listening(subscribed + `40 server > tools id "11"
				50 client < tools id "11"`),
		}, {
			why: "the id of two requests", want: Vacuous, uncounted: whyUnclearID, fails: "ID-NO-REUSE-M",
			script: listening(`10 client > listen 1
				15 client > {"id":11,"method":"tools/list"}
				20 server < listen 1; > ack 1; < {"id":11,"method":"tools/list"}; > tools 1
				30 client < ack 1; < tools 1`),
		}, {
			why: "a response without the id", want: Fail, checked: 2, fails: "LISTEN-TAG",
			script: listening(subscribed + `40 server > bare 1
				50 client < bare 1; return 1`),
		}, {
			why: "an error has no place for it", want: Pass, checked: 1,
			script: listening(subscribed + `40 server > error 1
				50 client < error 1; return 1 failed`),
		}},
		"LISTEN-DELIVERS": {{
			why: "told", want: Pass, checked: 1,
			script: listening(subscribed + `40 server change "tools"; > tools 1
				50 client < tools 1`),
		}, {
			why: "never told, in all the time that there was", want: Fail, checked: 1, fails: "LISTEN-DELIVERS", side: history.Server,
			script: bare(subscribed + `40 server change "tools"
				20000 client close`).asListen(),
		}, {
			why: "told of something else only", want: Fail, checked: 1, fails: "LISTEN-DELIVERS",
			script: bare(subscribed + `40 server change "tools"; change "r/1"; > updated 1
				50 client < updated 1
				20000 client close`).asListen(),
		}, {
			why: "several as one, a little later", want: Pass, checked: 1,
			script: bare(subscribed + `40 server change "tools"
				45 server change "tools"
				55 server > tools 1
				60 client < tools 1
				20000 client close`).asListen(),
		}, {
			why: "given up before it was due", want: Vacuous,
			script: bare(subscribed + `45 server change "tools"` + givenUp + `20000 client close`).asListen(),
		}, {
			why: "a change that is none of its business", want: Vacuous,
			script: bare(subscribed + `40 server change "r/2"
				20000 client close`).asListen(),
		}, {
			why: "a change before it was taken", want: Vacuous,
			script: bare(`5 server change "tools"` + subscribed + `20000 client close`).asListen(),
		}, {
			why: "the network did not take what was before it", want: Vacuous, uncounted: whyServerHeld,
			script: bare(subscribed + `39 server >> updated 1
				40 server change "tools"
				20000 client close`).asListen(),
		}},
		"LISTEN-NO-REQ-SCOPED": {{
			why: "progress of a call beside it, whose request is not in the script", want: Pass, checked: 1, fails: "PROGRESS-ACTIVE",
			script: listening(subscribed + `40 server > progress 2
				50 client < progress 2`),
		}, {
			why: "progress with its id", want: Fail, checked: 1, fails: "LISTEN-NO-REQ-SCOPED", side: history.Server,
			script: listening(subscribed + `40 server > marked 1
				50 client < marked 1`),
		}, {
			why: "progress when nobody listens", want: Vacuous, fails: "PROGRESS-ACTIVE",
			script: listening(`40 server > progress 2
				50 client < progress 2`),
		}},
	}
}

// asListen makes the calls of a script subscriptions.
func (s script) asListen() script {
	s.version, s.handlers, s.method = modernVersion, []string{"", ""}, listenMethod
	return s
}

// A server that is told to stop ends, as a client that is closed does.
func TestStopBounded(t *testing.T) { runRule(t, "CLOSE-BOUNDED", stopCases()) }

func stopCases() []ruleCase {
	const end = `
		600100 client close; hangup; closed
	`
	return []ruleCase{{
		why: "at once", want: Pass, checked: 2,
		script: bare(subscribed + `40 server stop; > ended 1; hangup; served
			50 client < ended 1; return 1; eof` + end).asListen(),
	}, {
		why: "never, while the client was there", want: Fail, checked: 2, fails: "CLOSE-BOUNDED", side: history.Server,
		script: bare(subscribed + `40 server stop` + end + `server eof; hangup; served
			client eof; return 1 closed`).asListen(),
	}, {
		why: "after twenty minutes, when its last subscription was given up", want: Fail, checked: 2, fails: "CLOSE-BOUNDED", side: history.Server,
		script: bare(subscribed + `40 server stop
			1200000 client cancel 1; > cancel 1; return 1 canceled
			1200010 server < cancel 1; hangup; served
			1200020 client eof; close; hangup; closed`).asListen(),
	}, {
		why: "the client was closed before it could be seen", want: Pass, checked: 1,
		script: bare(subscribed + `40 server stop
			50 client close; hangup; return 1 closed; closed
			60 server eof; hangup; served`).asListen(),
	}, {
		why: "the network did not take what it was writing", want: Pass, checked: 1, uncounted: whyServerHeld,
		script: bare(subscribed + `39 server >> updated 1
			40 server stop` + end + `server eof; hangup; served
			client eof; return 1 closed`).asListen(),
	}}
}

// An open subscription is no lost request, however long nothing is sent for it.
func TestOpenSubscriptionIsDispatched(t *testing.T) {
	h := bare(subscribed + `60000 world horizon calls had not returned
		60001 client close; hangup; return 1 closed; closed
		60002 server eof; hangup; served`).asListen().history(t)
	assert.Empty(t, failing(Judge(h)))
	lost := bare(`10 client issue 1; > listen 1
		20 server < listen 1
		60000 world horizon calls had not returned`).asListen().history(t)
	assert.Equal(t, "REQUEST-DISPATCHED", failing(Judge(lost)), "one that nobody took is")
}

func TestFilterWants(t *testing.T) {
	f := filter{URIs: []string{"file:///a", "mcpsim://call/1"}}
	for uri, want := range map[string]bool{
		"file:///a": true, "file:///a/b": true, "file:///a?x": true, "file:///ab": false,
		"mcpsim://call/1": true, "mcpsim://call/12": false, "": false,
	} {
		m := &history.Message{Method: resourceUpdated, Raw: `{"params":{"uri":"` + uri + `"}}`}
		assert.Equal(t, want, f.wants(m), uri)
	}
	assert.False(t, f.wants(&history.Message{Method: toolsChanged}))
	assert.Equal(t, filter{}, filterOf(&history.Message{Raw: "nonsense"}))
}

// A response that waited for its turn while the subscription was cancelled is not late.
func TestResponseThatWaitedIsNotLate(t *testing.T) {
	for _, tc := range []struct {
		why, text string
		late      bool
		fails     string
	}{
		{"behind the acknowledgement, which the network did not take", `20 server < listen 1; >> ack 1
			30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; . ack 1; > ended 1
			50 client < ack 1; < ended 1`, false, ""},
		{"the writer was free", `20 server < listen 1; > ack 1
			30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; > ended 1
			50 client < ack 1; < ended 1`, true, "LISTEN-CANCEL"},
	} {
		j := Judge(listening("10 client issue 1; > listen 1\n" + tc.text).history(t))
		assert.Equal(t, tc.late, j.Calls[0].Late, tc.why)
		assert.Equal(t, tc.fails, failing(j), tc.why)
	}
}
