package reference

import (
	"bytes"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// mutantConversations are what shows on the wire, or to the application, when a
// defect acts. The strict peers fail every one of them.
func mutantConversations(e era) map[defect]conversation {
	refusal := errorOf("2", "-32603", "request cancelled")
	ms := time.Millisecond
	return map[defect]conversation{
		ignoresCancel: {"answers as if nothing had happened, at the end of the work", []step{
			send(e.call("2", "slow", "100")), send(cancelOf("2")), silence(99 * ms), hear(e.answer("2", "done"))}},
		orphansWork: {"says nothing, and nor does it to the handler", []step{
			send(e.call("2", "slow", "100")), send(cancelOf("2")), told(0), silence(time.Hour), told(0)}},
		tellsLate: {"says nothing, and leaves the handler alone for a while", []step{
			send(e.call("2", "slow", "100")), send(cancelOf("2")), told(0), silence(49 * ms), told(0), silence(ms), told(1), silence(time.Hour)}},
		answersCancelled: {"answers with an error", []step{
			send(e.call("2", "slow", "100")), silence(50 * ms), send(cancelOf("2")), hear(refusal), silence(time.Hour)}},
		answersTwice: {"an error at once, and then the deaf handler's result", []step{
			send(e.call("2", "stubborn", "100")), send(cancelOf("2")), hear(refusal), silence(99 * ms),
			hear(e.answer("2", "done")), silence(time.Hour)}},
		progressAfterCancel: {"one more progress", []step{
			send(e.call("2", "chatty", "10")), hear(progressOf("2", "1")), send(cancelOf("2")), hear(progressOf("2", "2")), silence(time.Hour)}},
		leaksOnCancel: {"a goroutine stays", []step{
			send(e.call("2", "slow", "100")), send(cancelOf("2")), hangUp(), heardEnd(), over(""), stayed(1)}},
		diesOnStrayCancel: {"the session ends", []step{
			send(e.call("2", "slow", "1")), hear(e.answer("2", "done")), send(cancelOf("2")), heardEnd(), over("unknown request 2")}},

		heedsToolsOnly: {"a tool is told; see also TestHeedsToolsOnly", []step{
			send(e.call("2", "slow", "100")), send(cancelOf("2")), told(1), silence(time.Hour)}},

		neverNotifies: {"returns and says nothing", []step{
			ask("a"), hear(e.asked("2", "a")), giveUp("a"), returned("a", "", "context canceled"), silence(time.Hour)}},
		forgetsTimeouts: {"returns when the time is up and says nothing, where a caller who gives up is heard", []step{
			askFor(100*ms, "a"), hear(e.asked("2", "a")), waits("a", 99*ms), silence(ms), returned("a", "", "deadline exceeded"), silence(time.Hour),
			ask("b"), hear(e.asked("3", "b")), giveUp("b"), hear(gaveUp("3"))}},
		cancelsUnissued: {"cancels what does not exist", []step{
			ask("a"), hear(e.asked("2", "a")), giveUp("a"), returned("a", "", "context canceled"), hear(gaveUp("1000002"))}},
		lateValue: {"returns the value of a response that crossed the cancel", []step{
			ask("a"), hear(e.asked("2", "a")), giveUp("a"), hear(gaveUp("2")), waits("a", 500*ms),
			send(e.answer("2", "late")), returned("a", "late", "")}},
		callerBlocks: {"the caller waits", []step{
			ask("a"), hear(e.asked("2", "a")), giveUp("a"), hear(gaveUp("2")), waits("a", time.Hour),
			send(e.answer("2", "late")), returned("a", "", "context canceled")}},
		diesOnLateResponse: {"the session ends", []step{
			ask("a"), hear(e.asked("2", "a")), giveUp("a"), hear(gaveUp("2")), send(e.answer("2", "late")), heardEnd(),
			ask("b"), returned("b", "", "nobody waits for the response to request 2")}},
		returnsWhenSent: {"the caller waits for the network to take the cancel", []step{
			ask("a"), hear(e.asked("2", "a")), stall(time.Minute), giveUp("a"), waits("a", time.Minute-1),
			hear(gaveUp("2")), returned("a", "", "context canceled")}},
		cancelsLast: {"a later request goes first", []step{
			ask("a"), hear(e.asked("2", "a")), stall(time.Minute), ask("b"), giveUp("a"), returned("a", "", "context canceled"),
			ask("c"), hear(e.asked("3", "b")), hear(e.asked("4", "c")), hear(gaveUp("2"))}},

		queueDeaf: {"the sixth call waits, and its cancel comes to nothing", slices.Concat(fiveBusy(e), []step{
			send(e.call("7", "slow", "1")), send(cancelOf("7")), silence(99 * ms), hear(e.answer("2", "done")), hearFive(e), told(0)})},
		dropsAfterCancel: {"the next call is lost, the one after it not", []step{
			send(e.call("2", "slow", "100")), send(cancelOf("2")), send(e.call("3", "slow", "1")), silence(time.Hour),
			send(e.call("4", "slow", "1")), hear(e.answer("4", "done"))}},
		keepsResults: {"a deaf tool's result is sent, the error of one that was told is not", []step{
			send(e.call("2", "stubborn", "100")), send(cancelOf("2")), silence(99 * ms), hear(e.answer("2", "done")),
			send(e.call("3", "slow", "100")), send(cancelOf("3")), silence(time.Hour)}},
		leaksAtEOF: {"a goroutine a call stays", []step{
			send(e.call("2", "slow", "100")), send(e.call("3", "slow", "100")), hangUp(), heardAll(), over(""), stayedOf("leakAll.func", 2)}},
		leaksOnTimeout: {"a goroutine stays", []step{
			askFor(100*ms, "a"), hear(e.asked("2", "a")), waits("a", 99*ms), hear(timedOut("2")), returned("a", "", "deadline exceeded"), stayedOf("afterTimeout.func", 1)}},
		waitsPastDeadline: {"the caller waits, but one who gives up does not", []step{
			askFor(100*ms, "a"), hear(e.asked("2", "a")), waits("a", 99*ms), hear(timedOut("2")), waits("a", time.Hour),
			send(e.answer("2", "late")), returned("a", "", "deadline exceeded"),
			ask("b"), hear(e.asked("3", "b")), giveUp("b"), hear(gaveUp("3")), returned("b", "", "context canceled")}},
		losesHeldCancels: {"the server never hears of it", []step{
			ask("a"), hear(e.asked("2", "a")), stall(time.Minute), ask("b"), giveUp("a"), returned("a", "", "context canceled"),
			hear(e.asked("3", "b")), silence(time.Hour)}},
		staleTimers: {"an id that was never used is cancelled, when the time would have been up", []step{
			askFor(100*ms, "a"), hear(e.asked("2", "a")), send(e.answer("2", "done")), returned("a", "done", ""), silence(99 * ms),
			hear(cancelBecause("3", "a timer fired"))}},

		ignoresEOF: {"works on for a client that has gone", []step{
			send(e.call("2", "slow", "100")), hangUp(), silence(99 * ms), told(0), hear(e.answer("2", "done")), heardEnd(), over("")}},
		dropsAtEOF: {"says nothing more", []step{
			send(e.call("2", "slow", "100")), hangUp(), heardEnd(), over(""), told(1)}},
		quitsEarly: {"the session ends", []step{
			send(e.call("2", "slow", "1")), heardEnd(), over("a call came")}},
		losesRequests: {"the first and the third are answered", []step{
			send(e.call("2", "slow", "1")), hear(e.answer("2", "done")), send(e.call("3", "slow", "1")), silence(time.Hour),
			send(e.call("4", "slow", "1")), hear(e.answer("4", "done"))}},
		limitsHandlers: {"a long tool is told, a short one is not", []step{
			send(e.call("2", "slow", "99")), hear(e.answer("2", "done")), told(0),
			send(e.call("3", "slow", "101")), silence(99 * ms), hear(e.toolResult("3", "context canceled", "true")), told(1)}},
		staleAnswers: {"the second call gets the first one's answer", []step{
			send(e.call("2", "counts", "1")), hear(e.answer("2", "1")), send(e.call("3", "counts", "2")), hear(e.answer("3", "1"))}},

		closeWaits: {"does not close before it has its answer", []step{
			ask("a"), hear(e.asked("2", "a")), closeClient(), silence(time.Hour), send(e.answer("2", "late")), returned("a", "late", ""), heardEnd()}},
		strandsCallers: {"the caller waits for a server that has hung up", []step{
			ask("a"), hear(e.asked("2", "a")), hangUp(), waits("a", time.Hour), closeClient(), returned("a", "", "closed")}},
	}
}

// stayed says that n goroutines of the package's own are left after the end.
func stayed(n int) step { return stayedOf("afterCancel.func", n) }

// stayedOf says so of those that one function left behind.
func stayedOf(function string, n int) step {
	return func(t *testing.T, _ *stage) {
		t.Helper()
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		assert.Equal(t, n, bytes.Count(stacks, []byte(function)), "goroutines that were left behind")
	}
}

func TestMutants(t *testing.T) {
	for _, e := range eras() {
		conversations := mutantConversations(e)
		maps.Copy(conversations, wireConversations(e))
		maps.Copy(conversations, idConversations(e))
		for _, m := range Mutants() {
			if m.Scenario == nestedScenario || m.Only != nil || !slices.Contains(m.Over, sim.Stdio) {
				continue // see TestNestedMutants, TestTaskMutants, TestServerAndBatches and TestTheWebPairCheckBites
			}
			t.Run(e.version+"/"+m.Name, func(t *testing.T) {
				if m.Scenario == "listen-teardown" {
					return // TestListenMutants has those of subscriptions, which one era alone knows
				}
				c, ok := conversations[m.defect]
				require.True(t, ok, "a mutant without a conversation")
				switch {
				case m.Side == history.Server:
					c.steps = slices.Concat(e.open, c.steps)
					playServer(t, e.version, m.defect, c)
				case m.defect == cancelsInitialize && e.meta == "":
					playClient(t, e.version, m.defect, c) // in the handshake
				default:
					c.steps = slices.Concat(e.connected(), c.steps)
					playClient(t, e.version, m.defect, c)
				}
			})
		}
	}
}

func TestTargets(t *testing.T) {
	targets, mutants := Targets(), Mutants()
	require.Len(t, targets, 1+len(mutants))
	assert.Equal(t, "reference", targets[0].Name)
	assert.NotNil(t, targets[0].NewClient)
	assert.NotNil(t, targets[0].NewServer)
	names := map[string]bool{}
	for i, m := range mutants {
		target := targets[i+1]
		assert.Equal(t, "mutant:"+m.Name, target.Name)
		assert.Equal(t, m.Side == history.Client, target.NewClient != nil, "%s: client", m.Name)
		assert.Equal(t, m.Side == history.Server, target.NewServer != nil, "%s: server", m.Name)
		names[target.Name] = true
	}
	assert.Len(t, names, len(mutants), "names are unique")
}

func TestMutantsSayWhatMustCatchThem(t *testing.T) {
	for _, m := range Mutants() {
		for _, e := range eras() {
			expect := m.Expect(e.version)
			if m.Only != nil && !slices.Contains(m.Only, e.version) {
				assert.Empty(t, expect, m.Name)
				continue
			}
			if len(expect) == 0 && excused(m, e.version) {
				continue
			}
			if len(expect) == 0 && m.Scenario == "listen-teardown" && !protocol.Modern(e.version) {
				continue // there are no subscriptions there
			}
			require.NotEmpty(t, expect, m.Name)
			assert.True(t, slices.IsSorted(expect), m.Name)
			named := slices.ContainsFunc(expect, func(rule string) bool { return strings.Contains(m.Doc, rule) })
			assert.True(t, named, "%s: the doc names a rule that must fail at %s", m.Name, e.version)
		}
	}
}

// excused reports whether a mutant says that it has no defect at a version.
func excused(m Mutant, version string) bool {
	switch {
	case m.Until != "" && version > m.Until:
		return strings.Contains(m.Doc, "no defect by the words of ")
	case protocol.Modern(version):
		return len(m.Legacy) > 0 && strings.Contains(m.Doc, "no defect since "+protocol.V20260728)
	}
	return len(m.Modern) > 0 && strings.Contains(m.Doc, "no defect before "+protocol.V20260728)
}

// fiveBusy has the server work on as many calls as it can.
func fiveBusy(e era) []step {
	var out []step
	for _, id := range []string{"2", "3", "4", "5", "6"} {
		out = append(out, send(e.call(id, "slow", "100")))
	}
	return out
}

// hearFive waits for the answers of the others of fiveBusy and of the call that
// waited behind them.
func hearFive(e era) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		for _, id := range []string{"3", "4", "5", "6", "7"} {
			hear(e.answer(id, "done"))(t, s)
		}
	}
}

// heardAll has the raw peer read until the end of the stream.
func heardAll() step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		for more := true; more; {
			_, more = s.next()
		}
	}
}

func cancelBecause(id, reason string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"` + reason + `"}}`
}

func timedOut(id string) string { return cancelBecause(id, "the caller's time was up") }
