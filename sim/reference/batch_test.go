package reference

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// batchEra is the version that has batches.
func batchEra() era {
	e := legacyEra()
	e.version = protocol.V20250326
	e.open = []step{
		send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`),
		hear(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"mcpsim-reference","version":"1"}}}`),
		send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`),
	}
	return e
}

func batchOf(frames ...string) string { return "[" + strings.Join(frames, ",") + "]" }

func TestServerAndBatches(t *testing.T) {
	const ms = time.Millisecond
	e := batchEra()
	notOne := errorOf("", "-32600", "not a JSON-RPC 2.0 message")
	for _, c := range []struct {
		conversation
		defect defect
	}{
		{conversation: conversation{"worked on side by side, answered as one when all are done", []step{
			send(batchOf(e.call("2", "slow", "100"), e.call("3", "slow", "50"))), silence(99 * ms),
			hear(batchOf(e.answer("3", "done"), e.answer("2", "done"))), silence(time.Hour)}}},
		{conversation: conversation{"a request that is cancelled is left out, and waited for no longer", []step{
			send(batchOf(e.call("2", "stubborn", "100"), e.call("3", "slow", "50"))), send(cancelOf("2")), silence(49 * ms),
			hear(batchOf(e.answer("3", "done"))), silence(time.Hour)}}},
		{conversation: conversation{"so is one that was done already", []step{
			send(batchOf(e.call("2", "slow", "10"), e.call("3", "slow", "50"))), silence(20 * ms), send(cancelOf("2")), silence(29 * ms),
			hear(batchOf(e.answer("3", "done"))), silence(time.Hour)}}},
		{conversation: conversation{"nothing is left to answer", []step{
			send(batchOf(e.call("2", "slow", "100"))), send(cancelOf("2")), told(1), silence(time.Hour)}}},
		{conversation: conversation{"a cancel in a batch, of a request in front of it and of one in it", []step{
			send(e.call("2", "slow", "100")), send(batchOf(e.call("3", "slow", "100"), cancelOf("2"), cancelOf("3"))), toldOr(1), silence(time.Hour)}}},
		{conversation: conversation{"of notifications nothing is said", []step{send(batchOf(cancelOf("8"), cancelOf("9"))), silence(time.Hour)}}},
		{conversation: conversation{"an empty one, and one with what is no message", []step{
			send(`[]`), hear(notOne), send(batchOf("1", e.call("2", "slow", "1"))), hear(notOne), hear(batchOf(e.answer("2", "done")))}}},
		{conversation: conversation{"no initialize in one", []step{
			send(batchOf(`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{}}`)),
			hear(batchOf(errorOf("2", "-32600", "initialize must not be part of a batch")))}}},
		{conversation: conversation{"the cancels in it are dropped", []step{
			send(e.call("2", "slow", "100")), send(batchOf(e.call("3", "slow", "100"), cancelOf("2"))), told(0), silence(99 * ms),
			hear(e.answer("2", "done")), hear(batchOf(e.answer("3", "done")))}}, defect: dropsBatchedCancels},
	} {
		t.Run(c.why, func(t *testing.T) {
			c.steps = slices.Concat(e.open, c.steps)
			playServer(t, e.version, c.defect, c.conversation)
		})
	}
	other := legacyEra()
	playServer(t, other.version, none, conversation{"other versions have none", slices.Concat(other.open, []step{
		send(batchOf(other.call("2", "slow", "1"))), hear(notOne), silence(time.Hour)})})
}

func TestClientAndBatches(t *testing.T) {
	const ms = time.Millisecond
	e := batchEra()
	batched := sim.Mischief{Batch: true}
	for _, c := range []conversation{
		{"with the request of another caller", []step{
			askUnruly("a", batched), silence(heldFor / 2), ask("b"), hear(batchOf(e.asked("2", "a"), e.asked("3", "b"))),
			send(batchOf(e.answer("3", "three"), e.answer("2", "two"))), returned("a", "two", ""), returned("b", "three", "")}},
		{"with the cancel of an earlier request", []step{
			ask("a"), hear(e.asked("2", "a")), askUnruly("b", batched), giveUp("a"), hear(batchOf(e.asked("3", "b"), gaveUp("2"))),
			returned("a", "", "context canceled")}},
		{"with its own cancel", []step{
			askUnruly("a", batched), giveUp("a"), hear(batchOf(e.asked("2", "a"), gaveUp("2"))), returned("a", "", "context canceled")}},
		{"two that wait", []step{askUnruly("a", batched), askUnruly("b", batched), hear(batchOf(e.asked("2", "a"), e.asked("3", "b")))}},
		{"alone, when nothing comes", []step{askUnruly("a", batched), silence(heldFor - ms), hear(e.asked("2", "a"))}},
		{"what was given up before the network took it is not in it", []step{
			ask("a"), hear(e.asked("2", "a")), stall(time.Minute), ask("b"), askUnruly("c", batched), giveUp("a"), giveUp("c"),
			hear(e.asked("3", "b")), hear(gaveUp("2"))}},
		{"nor does a request that waits outlive its session", []step{askUnruly("a", batched), closeClient(), returned("a", "", "closed"), heardEnd(), hangUp()}},
	} {
		t.Run(c.why, func(t *testing.T) {
			c.steps = slices.Concat(e.connected(), c.steps)
			playClient(t, e.version, none, c)
		})
	}
	other := legacyEra()
	playClient(t, other.version, none, conversation{"other versions have none",
		slices.Concat(other.connected(), []step{askUnruly("a", batched), hear(other.asked("2", "a"))})})
}
