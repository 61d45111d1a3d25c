package spacetime

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// A subscription's listing shows what was told to it, the server's being stopped,
// and of the changes that the application made the one that convicts.
func TestListingOfASubscription(t *testing.T) {
	b := newWorld("2026-07-28", "")
	b.at(1).client(history.Issue, 1, "")
	told := history.Message{Kind: history.Notification, Method: "notifications/resources/updated", Sub: "2"}
	q := b.write(client, 1, history.Message{Kind: history.Request, Method: "subscriptions/listen", ID: "2", Call: 1})
	b.at(10).read(q)
	b.at(15).add(history.Event{Side: server, Kind: history.Change, Value: "mcpsim://call/1"})
	s := b.write(server, 1, told)
	change := b.at(20).add(history.Event{Side: server, Kind: history.Change, Value: "tools"})
	b.at(30).read(s)
	stop := b.at(20_000).server(history.Stop, 0, "")
	b.at(20_001).client(history.Return, 1, "the session is over")
	v := b.fail("LISTEN-DELIVERS", oracle.Should, oracle.Violation{Call: 1, Events: []int{change, stop}, What: "did not tell", Lateness: -1})
	out := Render(b.h, b.j, Options{Call: 1, Finding: Finding{ID: "F1", Violation: v}})
	for _, want := range []string{"notifications/resources/updated", "application changes its list of tools", "application stops its server (scenario)"} {
		assert.Contains(t, out, want)
	}
	assert.NotContains(t, out, "changes mcpsim://call/1", "what was told is told already")
}
