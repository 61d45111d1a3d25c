package sim

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Each row makes calls of a client that cannot mark its pings, and looks at what
// the wire shows: "call 3" is an issued ping, "probe" the probe, "ping a" a
// request with the id a, "call 3 marked ping a" one that says whose it is.
func TestUnmarkedRequestsGetTheirCalls(t *testing.T) {
	for _, row := range []struct {
		why, script string
		want        map[string]int // call by id
	}{
		{"one at a time", "issue 3; ping a; issue 4; ping b", map[string]int{"a": 3, "b": 4}},
		{"two at a time could be either", "issue 3; issue 4; ping a; ping b", map[string]int{"a": 0, "b": 0}},
		{"what comes after both is clear again", "issue 3; issue 4; ping a; ping b; issue 5; ping c", map[string]int{"a": 0, "b": 0, "c": 5}},
		{"one that is never written blurs what follows", "issue 3; issue 4; ping a", map[string]int{"a": 0}},
		{"the probe looks alike", "issue 3; probe; ping a; ping b", map[string]int{"a": 0, "b": 0}},
		{"and is nobody's call", "probe; ping a", map[string]int{"a": 0}},
		{"nobody asked", "ping a", map[string]int{"a": 0}},
		{"a mark is believed", "issue 3; issue 4; mark 4 a; mark 3 b", map[string]int{"a": 4, "b": 3}},
		{"an id that comes again is the later call's", "issue 3; ping a; issue 4; ping a", map[string]int{"a": 4}},
		{"or nobody's", "issue 3; ping a; ping a", map[string]int{"a": 0}},
	} {
		b := newCallBook([]string{"ping"})
		for act := range strings.SplitSeq(row.script, "; ") {
			words := strings.Fields(act)
			ping := &history.Message{Kind: history.Request, Method: "ping"}
			switch words[0] {
			case "issue":
				b.issued(int(words[1][0]-'0'), "ping")
			case "probe":
				b.probing("2025-11-25")
			case "mark":
				ping.Call, ping.ID = int(words[1][0]-'0'), words[2]
				b.learn(history.Client, ping)
			default:
				ping.ID = words[1]
				b.learn(history.Client, ping)
			}
		}
		for id, call := range row.want {
			assert.Equal(t, call, b.of(history.Client, &history.Message{Kind: history.Request, Method: "ping", ID: id}), "%s: request %s", row.why, id)
			assert.Equal(t, call, b.of(history.Client, &history.Message{Kind: history.Notification, Method: "notifications/cancelled", Ref: id}), "%s: cancel of %s", row.why, id)
			assert.Equal(t, call, b.of(history.Server, &history.Message{Kind: history.Response, ID: id}), "%s: response to %s", row.why, id)
		}
	}
}

// A client that marks its requests never has one taken for another's.
func TestMarkedMethodsAreNotGuessed(t *testing.T) {
	b := newCallBook(nil)
	b.issued(3, "tools/list")
	own := &history.Message{Kind: history.Request, Method: "tools/list", ID: "1"}
	b.learn(history.Client, own)
	assert.Zero(t, b.of(history.Client, own), "the client's own request, for a reason of its own")
}
