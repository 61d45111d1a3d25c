package reference

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// idConversations are the conversations of the mutants that mischief brings out.
func idConversations(e era) map[defect]conversation {
	ms := time.Millisecond
	bare := `{"jsonrpc":"2.0","method":"notifications/cancelled"}`
	return map[defect]conversation{
		ignoresIDZero: {"the cancel of 0 does nothing", []step{
			send(e.call("0", "slow", "100")), send(cancelOf("0")), told(0), silence(99 * ms), hear(e.answer("0", "done"))}},
		confusesTwins: {"the cancel of one hits the other", []step{
			send(e.call("7", "slow", "100")), send(e.call(`"7"`, "slow", "50")), send(cancelOf("7")), told(1),
			silence(99 * ms), hear(e.answer("7", "done")), silence(time.Hour)}},
		idsAsFloats: {"the cancel of one hits the other", []step{
			send(e.call("9007199254740992", "slow", "50")), send(e.call("9007199254740993", "slow", "100")), send(cancelOf("9007199254740993")), told(1),
			silence(99 * ms), hear(e.answer("9007199254740993", "done")), silence(time.Hour)}},
		crossesAnswers: {"the first answer goes to the second", []step{
			send(e.call("7", "slow", "50")), send(e.call(`"7"`, "slow", "100")), silence(49 * ms), hear(e.answer(`"7"`, "done")),
			silence(49 * ms), hear(e.answer("7", "done"))}},
		staleCancelHits: {"the second request is dropped", []step{
			send(e.call("2", "slow", "1")), hear(e.answer("2", "done")), send(cancelOf("2")), send(e.call("2", "slow", "1")), silence(time.Hour)}},
		cancelsNeighbour: {"two are told", []step{
			send(e.call("2", "slow", "100")), send(e.call("3", "slow", "100")), send(cancelOf("2")), told(2),
			hear(e.toolResult("3", "context canceled", "true"))}},
		registersLate: {"a cancel at once is lost", []step{
			sendRaw(e.call("2", "slow", "100") + "\n" + cancelOf("2") + "\n"), told(0), silence(99 * ms), hear(e.answer("2", "done"))}},
		answersCancel: {"an error without an id", []step{
			send(cancelOf("9")), hear(errorOf("", "-32602", "the cancel names no request"))}},
		diesOnMalformed: {"the session ends", []step{send(bare), heardEnd(), over("malformed")}},
		diesOnRepeat: {"the session ends", []step{
			send(e.call("2", "slow", "100")), send(cancelOf("2")), told(1), send(cancelOf("2")), heardEnd(), over("a second time")}},

		diesOnStrayAnswer: {"the session ends", []step{
			ask("a"), hear(e.asked("2", "a")), send(e.answer(`"nobody"`, "x")), heardEnd(), returned("a", "", "nobody waits")}},
		takesForeign: {"the caller gets it", []step{
			ask("a"), hear(e.asked("2", "a")), send(e.answer(`"2"`, "foreign")), returned("a", "foreign", "")}},
		diesOnProgress: {"the session ends", []step{
			ask("a"), hear(e.asked("2", "a")), send(progressOf("9", "1")), heardEnd(), returned("a", "", "nobody waits for progress")}},
		heedsServerCancel: {"the caller gets an error", []step{
			ask("a"), hear(e.asked("2", "a")), send(cancelOf("2")), returned("a", "", "cancelled by the server")}},
	}
}

// askUnruly has the application call a tool, with mischief.
func askUnruly(name string, m sim.Mischief) step {
	return func(_ *testing.T, s *stage) {
		s.begin(name, func(ctx context.Context) (string, error) {
			return s.client.Call(ctx, sim.Request{
				Method: protocol.ToolsCall, Name: name, Arguments: json.RawMessage(`{"call":1}`), Progress: "p-" + name, Mischief: &m,
			})
		})
	}
}

func cancelled(params string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":` + params + `}`
}

func TestUnrulyClient(t *testing.T) {
	for _, e := range eras() {
		for _, c := range []conversation{
			{"ids as they are given, and counting behind them", []step{
				askUnruly("a", sim.Mischief{ID: `0`}), hear(e.asked("0", "a")), askUnruly("b", sim.Mischief{ID: `"7"`}), hear(e.asked(`"7"`, "b")),
				askUnruly("c", sim.Mischief{ID: `7`}), hear(e.asked("7", "c")), ask("d"), hear(e.asked("8", "d")),
				send(e.answer(`7`, "c")), returned("c", "c", ""), send(e.answer(`"7"`, "b")), returned("b", "b", ""), send(e.answer(`0`, "a")), returned("a", "a", "")}},
			{"the id that was answered, once", []step{
				ask("a"), hear(e.asked("2", "a")), send(e.answer("2", "a")),
				askUnruly("b", sim.Mischief{ID: `5`, Reuse: sim.ReusedAfter}), hear(e.asked("2", "b")),
				askUnruly("c", sim.Mischief{ID: `6`, Reuse: sim.ReusedAfter}), hear(e.asked("6", "c"))}},
			{"not the id of a call that was given up and not answered", []step{
				askUnruly("a", sim.Mischief{ID: `2`}), hear(e.asked("2", "a")), giveUp("a"), hear(gaveUp("2")),
				askUnruly("b", sim.Mischief{ID: `5`, Reuse: sim.ReusedAfter}), hear(e.asked("1", "b")), send(e.answer("2", "late")),
				askUnruly("c", sim.Mischief{ID: `6`, Reuse: sim.ReusedAfter}), hear(e.asked("2", "c"))}},
			{"the id that is in flight: the older gets the answer", []step{
				ask("a"), hear(e.asked("2", "a")), askUnruly("b", sim.Mischief{ID: `5`, Reuse: sim.ReusedBefore}), hear(e.asked("2", "b")),
				send(e.answer("2", "first")), returned("a", "first", ""), waits("b", time.Hour), send(e.answer("2", "second")), returned("b", "second", "")}},
			{"the younger of two with one id gives up", []step{
				ask("a"), hear(e.asked("2", "a")), askUnruly("b", sim.Mischief{ID: `5`, Reuse: sim.ReusedBefore}), hear(e.asked("2", "b")),
				giveUp("b"), hear(gaveUp("2")), send(e.answer("2", "first")), returned("a", "first", "")}},
			{"request and cancel together, when the caller gives up", []step{
				askUnruly("a", sim.Mischief{ID: `5`, Together: true}), silence(time.Second), giveUp("a"), hear(e.asked("5", "a")), hear(gaveUp("5")),
				returned("a", "", "context canceled")}},
			{"strays before the request, and behind it the twin's", []step{
				askUnruly("a", sim.Mischief{ID: `5`, Strays: []string{sim.TwinID, sim.NoParams, sim.NoID, sim.NullID, sim.BoolID, sim.ObjectID, sim.ArrayParams, sim.Unknown, sim.ExtraMembers, sim.WithRPCID}}),
				hear(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`), hear(cancelled(`{"reason":"none"}`)), hear(cancelled(`{"requestId":null}`)),
				hear(cancelled(`{"requestId":true}`)), hear(cancelled(`{"requestId":{}}`)), hear(cancelled(`["never-5"]`)), hear(cancelled(`{"requestId":"never-5"}`)),
				hear(cancelled(`{"requestId":"never-5","taskId":7,"force":[true]}`)),
				hear(`{"jsonrpc":"2.0","id":"never-5","method":"notifications/cancelled","params":{"requestId":"never-5"}}`),
				hear(e.asked("5", "a")), hear(cancelled(`{"requestId":"5"}`))}},
			{"a cancel for what is over", []step{
				ask("a"), hear(e.asked("2", "a")), send(e.answer("2", "a")), returned("a", "a", ""),
				askUnruly("b", sim.Mischief{ID: `5`, Strays: []string{sim.Finished}}), hear(cancelled(`{"requestId":2}`)), hear(e.asked("5", "b"))}},
			{"not an id that the client has counted up to meanwhile", []step{
				ask("a"), hear(e.asked("2", "a")), ask("b"), hear(e.asked("3", "b")),
				askUnruly("c", sim.Mischief{ID: `3`}), hear(e.asked("4", "c")), askUnruly("d", sim.Mischief{ID: `4`, Reuse: sim.ReusedAfter}),
				hear(e.asked("1", "d")), askUnruly("e", sim.Mischief{ID: `"3"`}), hear(e.asked(`"3"`, "e"))}},
			{"no cancel for what the server has not asked", []step{
				askUnruly("b", sim.Mischief{ID: `5`, Strays: []string{sim.Foreign}}), hear(e.asked("5", "b"))}},
		} {
			t.Run(e.version+"/"+c.why, func(t *testing.T) {
				c.steps = slices.Concat(e.connected(), c.steps)
				playClient(t, e.version, none, c)
			})
		}
	}
}

func TestUnrulyServer(t *testing.T) {
	ms := time.Millisecond
	for _, e := range eras() {
		for _, c := range []struct {
			conversation
			kinds []string
		}{
			{conversation{"answers what was cancelled", []step{
				send(e.call("2", "slow", "100")), send(cancelOf("2")), told(1), hear(e.toolResult("2", "context canceled", "true")), silence(time.Hour)}},
				[]string{sim.LateAnswer}},
			{conversation{"answers twice", []step{
				send(e.call("2", "slow", "100")), silence(99 * ms), hear(e.answer("2", "done")), hear(e.answer("2", "done"))}},
				[]string{sim.SecondAnswer}},
			{conversation{"answers and reports to nobody", []step{
				send(e.call("2", "slow", "100")), hear(e.answer(`"nobody-0"`, "an answer to nobody")),
				hear(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nobody-0","progress":1}}`),
				silence(99 * ms), hear(e.answer("2", "done"))}},
				[]string{sim.UnknownAnswer, sim.UnknownProgress}},
			{conversation{"the earlier text under the twin's id", []step{
				send(e.call("2", "counts", "1")), hear(e.answer("2", "1")), send(e.call("3", "slow", "100")), hear(e.answer(`"3"`, "1")),
				silence(99 * ms), hear(e.answer("3", "done"))}},
				[]string{sim.TwinAnswer}},
			{conversation{"progress behind the answer", []step{
				send(e.call("2", "slow", "1")), hear(e.answer("2", "done")), hear(progressOf("2", "1"))}},
				[]string{sim.LateProgress}},
			{conversation{"cancels what is not its own", []step{
				send(e.call("2", "slow", "1")), hear(cancelled(`{"requestId":2,"reason":"it is not the server's"}`)), hear(e.answer("2", "done"))}},
				[]string{sim.ForeignCancel}},
		} {
			t.Run(e.version+"/"+c.why, func(t *testing.T) {
				c.steps = slices.Concat(e.open, c.steps)
				playUnruly(t, e.version, c.kinds, c.conversation)
			})
		}
	}
}

// A ping of the server's may have the id of one of the client's requests.
func TestPingUnderTheCallsID(t *testing.T) {
	e := legacyEra()
	ping := []step{hear(`{"jsonrpc":"2.0","id":2,"method":"ping"}`), hear(cancelled(`{"requestId":2,"reason":"no need"}`))}
	playUnruly(t, e.version, []string{sim.PingCancelled}, conversation{"both at once", slices.Concat(e.open,
		[]step{send(e.call("2", "slow", "1"))}, ping, []step{hear(e.answer("2", "done"))})})
	m := modernEra()
	playUnruly(t, m.version, []string{sim.PingCancelled}, conversation{"there is no ping any more", slices.Concat(m.open,
		[]step{send(m.call("2", "slow", "1")), hear(m.answer("2", "done"))})})
}

// A ping takes no id that the server has used, and its counter none that a ping has.
func TestPingsAndQuestionsShareNoID(t *testing.T) {
	e := legacyEra()
	requests := 0
	env := sim.ServerEnv{Mischief: func(int) ([]string, bool) {
		if requests++; requests == 1 { // it opens the session
			return nil, false
		}
		return []string{sim.PingCancelled}, true
	}}
	ping := func(id string) []step {
		return []step{hear(fill(`{"jsonrpc":"2.0","id":$id,"method":"ping"}`, "$id", id)), hear(cancelled(`{"requestId":` + id + `,"reason":"no need"}`))}
	}
	question := func(id string) step { return hear(strings.Replace(askedWhat, `"id":1`, `"id":`+id, 1)) }
	call := func(id string) []step {
		return slices.Concat([]step{send(e.call(id, "slow", "1"))}, ping(id), []step{hear(e.answer(id, "done"))})
	}
	refused := []step{send(e.call("4", "slow", "1")), silence(time.Millisecond - 1), hear(e.answer("4", "done"))}
	asked := func(id string, q string) []step {
		return slices.Concat([]step{send(e.call(id, "asks-later", "1"))}, ping(id), []step{question(q)})
	}
	playAskingIn(t, env, none, conversation{"both", slices.Concat(
		call("2"), call("3"), asked(`"a"`, "4"), asked(`"b"`, "5"), refused, call("6"), asked(`"c"`, "7"))})
}
