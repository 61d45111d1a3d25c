package oracle

import (
	"fmt"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// wireFouls are breaches of rules of single messages, which need a frame more.
func wireFouls() []foul {
	// add makes a foul of a frame that is written right behind a call's request.
	add := func(name string, rule func(string, *fact) string, side history.Side, make func(s *scene, c *fact) *history.Message) foul {
		return foul{name: name, rule: rule, one: func(s *scene, c *fact) bool {
			if c.asked < 0 || !c.before(c.asked) {
				return false
			}
			m := make(s, c)
			if m == nil {
				return false
			}
			s.put(c.asked, 0, s.write(side, 0, *m)...)
			return true
		}}
	}
	return []foul{
		add("a cancel by the server", byEra("", "CANCEL-SERVER-FORBIDDEN"), history.Server, func(s *scene, c *fact) *history.Message {
			return s.cancel(history.Server, s.request(c.Call.Call).ID)[0].Msg
		}),
		add("a cancel without an id", alwaysBreaks("CANCEL-HAS-ID"), history.Client, func(s *scene, c *fact) *history.Message {
			return &history.Message{
				Kind: history.Notification, Method: "notifications/cancelled",
				Raw: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`,
			}
		}),
		add("an id that was used before", byEra("ID-NO-REUSE-L", "ID-NO-REUSE-M"), history.Client, func(s *scene, c *fact) *history.Message {
			return plainRequest(s.request(c.Call.Call).ID, "")
		}),
		add("an id that is null", alwaysBreaks("ID-NOT-NULL"), history.Client, func(*scene, *fact) *history.Message {
			return plainRequest("null", "")
		}),
		add("a request by the server", byEra("", "SERVER-NO-REQUESTS"), history.Server, func(*scene, *fact) *history.Message {
			return plainRequest("1", "")
		}),
		add("a token that is taken", alwaysBreaks("PROGRESS-TOKEN-UNIQUE"), history.Client, func(s *scene, c *fact) *history.Message {
			if c.token == "" {
				return nil
			}
			return plainRequest(`"of its own"`, c.token)
		}),
		add("progress with a token that nobody gave", alwaysBreaks("PROGRESS-ACTIVE"), history.Server, func(*scene, *fact) *history.Message {
			return &history.Message{
				Kind: history.Notification, Method: "notifications/progress", Token: `"no such"`,
				Raw: `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"no such","progress":1}}`,
			}
		}),
		{name: "progress after the response", rule: alwaysBreaks("PROGRESS-STOP"), one: func(s *scene, c *fact) bool {
			if c.token == "" || c.answerWrote < 0 {
				return false
			}
			s.put(c.answerWrote, 0, s.progress(c.Call.Call)...)
			return true
		}},
		{name: "progress that does not grow", rule: alwaysBreaks("PROGRESS-MONOTONE"), one: func(s *scene, c *fact) bool {
			if c.token == "" || c.start < 0 || c.cancel >= 0 {
				return false
			}
			for range 2 {
				s.put(c.start, 0, s.progress(c.Call.Call)...)
			}
			return true
		}},
		{name: "a cancel of what has been returned", rule: alwaysBreaks("CANCEL-ONLY-INPROGRESS"), one: func(s *scene, c *fact) bool {
			if !c.value() || !inOrder(c.answerGot, c.ret) || c.cancel >= 0 || !c.before(c.ret) || c.reused() {
				return false
			}
			s.put(c.ret, 0, s.cancel(history.Client, s.request(c.Call.Call).ID)...)
			return true
		}},
		{name: "a cancel of initialize", rule: byEra("CANCEL-INIT", ""), all: func(s *scene, f *facts) bool {
			i := s.at("client write request")
			s.put(i, 0, s.cancel(history.Client, s.h.Events[i].Msg.ID)...)
			return true
		}},
		{name: "a result and an error in one", rule: untilVersion("2025-06-18", "RESP-ONE-OF"), one: func(s *scene, c *fact) bool {
			if c.answered < 0 || s.h.Events[c.answered].Msg.Kind != history.Response {
				return false
			}
			m := s.h.Events[c.answered].Msg
			m.Kind, m.Raw = history.Invalid, strings.TrimSuffix(m.Raw, "}")+`,"error":{"code":1,"message":"no"}}`
			return true
		}},
	}
}

// plainRequest is a request of no call.
func plainRequest(id, token string) *history.Message {
	meta := ""
	if token != "" {
		meta = fmt.Sprintf(`"_meta":{"progressToken":%s}`, token)
	}
	return &history.Message{
		Kind: history.Request, Method: "tools/list", ID: id, Token: token,
		Raw: fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/list","params":{%s}}`, id, meta),
	}
}

// untilVersion is a rule that later versions do not have.
func untilVersion(last, rule string) func(string, *fact) string {
	return func(v string, _ *fact) string {
		if v > last {
			return ""
		}
		return rule
	}
}
