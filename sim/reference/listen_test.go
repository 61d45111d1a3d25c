package reference

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// listenTo is a subscription to the list of tools, if tools is so, and to a resource.
func listenTo(id, uri string, tools bool) string {
	asked := `"resourceSubscriptions":["` + uri + `"]`
	if tools {
		asked = `"toolsListChanged":true,` + asked
	}
	return fill(`{"jsonrpc":"2.0","id":$id,"method":"subscriptions/listen","params":{"notifications":{$asked},"_meta":{$meta}}}`,
		"$id", id, "$asked", asked, "$meta", modernMeta)
}

func acknowledged(id, agreed string) string {
	return fill(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":$id},"notifications":{$agreed}}}`,
		"$id", id, "$agreed", agreed)
}

const (
	bothAgreed = `"toolsListChanged":true,"resourceSubscriptions":["r/1"]`
	oneAgreed  = `"resourceSubscriptions":["r/2"]`
)

func toolsToldTo(id string) string {
	return fill(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":$id}}}`, "$id", id)
}

func resourceToldTo(id, uri string) string {
	return fill(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":$id},"uri":"$uri"}}`, "$id", id, "$uri", uri)
}

func endOf(id string) string {
	return fill(`{"jsonrpc":"2.0","id":$id,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":$id}}}`, "$id", id)
}

// changeTools and changeResource are what the server's application does.
func changeTools() step {
	return func(_ *testing.T, s *stage) { s.server.ChangeTools(sim.Tool{Name: "extra"}, true) }
}

func changeResource(uri string) step {
	return func(_ *testing.T, s *stage) { s.server.ChangeResource(uri) }
}

func stopServer() step { return func(_ *testing.T, s *stage) { s.stopServ() } }

// twoOpen opens two subscriptions: "s" to the list of tools and to r/1, 7 to r/2.
func twoOpen() []step {
	return []step{
		send(listenTo(`"s"`, "r/1", true)), hear(acknowledged(`"s"`, bothAgreed)),
		send(listenTo("7", "r/2", false)), hear(acknowledged("7", oneAgreed)),
	}
}

func playListener(t *testing.T, d defect, c conversation) {
	t.Helper()
	playServerIn(t, sim.ServerEnv{
		SpecVersion: protocol.V20260728, Changes: true, Resources: []sim.Resource{{Name: "r", Template: "r/{x}"}},
	}, d, c)
}

func TestListen(t *testing.T) {
	for _, c := range []conversation{
		{"each is told what it asked for, with its id", []step{
			changeTools(), hear(toolsToldTo(`"s"`)), changeResource("r/2"), hear(resourceToldTo("7", "r/2")),
			changeResource("r/3"), silence(time.Hour)}},
		{"nothing after a cancel, for the other as before", []step{
			send(cancelOf(`"s"`)), silence(time.Microsecond), changeTools(), changeResource("r/1"), silence(time.Hour), changeResource("r/2"), hear(resourceToldTo("7", "r/2"))}},
		{"a cancel in another type of id is none of its", []step{
			send(cancelOf("s")), send(cancelOf(`"7"`)), changeResource("r/2"), hear(resourceToldTo("7", "r/2"))}},
		{"both are ended by their responses when the server is stopped", []step{
			stopServer(), hear(endOf(`"s"`)), hear(endOf("7")), heardEnd(), over("canceled")}},
		{"nothing at the end of the input", []step{hangUp(), heardEnd(), over("")}},
		{"the list shows the change", []step{
			changeTools(), hear(toolsToldTo(`"s"`)), send(modernEra().call("8", "slow", "1")), hear(modernEra().answer("8", "done"))}},
		{"a subscription without a filter is refused", []step{
			send(fill(`{"jsonrpc":"2.0","id":8,"method":"subscriptions/listen","params":{"_meta":{$meta}}}`, "$meta", modernMeta)),
			hear(errorOf("8", "-32602", "notifications is missing"))}},
		{"one for nothing is over at once", []step{
			send(fill(`{"jsonrpc":"2.0","id":8,"method":"subscriptions/listen","params":{"notifications":{},"_meta":{$meta}}}`, "$meta", modernMeta)),
			hear(acknowledged("8", "")), hear(endOf("8"))}},
	} {
		t.Run(c.why, func(t *testing.T) {
			c.steps = append(twoOpen(), c.steps...)
			playListener(t, none, c)
		})
	}
}

// A server whose application changes nothing knows no subscriptions.
func TestListenWithoutChanges(t *testing.T) {
	playServer(t, protocol.V20260728, none, conversation{"refused", []step{
		send(listenTo("7", "r/2", false)), hear(errorOf("7", "-32601", "method not found: subscriptions/listen"))}})
}

// What the defects of subscriptions look like on the wire.
func TestListenMutants(t *testing.T) {
	conversations := map[defect][]step{
		tellsEarly: {send(listenTo("7", "r/2", false)), hear(resourceToldTo("7", "r/2")), hear(acknowledged("7", oneAgreed))},
		tellsAll:   {send(listenTo("7", "r/2", false)), hear(acknowledged("7", oneAgreed)), changeTools(), hear(toolsToldTo("7"))},
		dropsTags: {send(listenTo("7", "r/2", false)), hear(acknowledged("7", oneAgreed)), changeResource("r/2"),
			hear(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"r/2"}}`)},
		confirmsCancel: {send(listenTo("7", "r/2", false)), hear(acknowledged("7", oneAgreed)), send(cancelOf("7")), hear(endOf("7"))},
		tagsProgress: {send(listenTo("7", "r/2", false)), hear(acknowledged("7", oneAgreed)), send(modernEra().call("8", "chatty", "10")),
			hear(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p8","progress":1,"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`)},
		stopWaits: {send(listenTo("7", "r/2", false)), hear(acknowledged("7", oneAgreed)), stopServer(), silence(time.Hour),
			send(cancelOf("7")), heardEnd(), over("canceled")},
		endsAllListened: append(twoOpen(), send(cancelOf("7")), silence(time.Microsecond), changeTools(), changeResource("r/1"), silence(time.Hour)),
	}
	require.Len(t, conversations, len(listenMutants()))
	for _, m := range listenMutants() {
		t.Run(m.Name, func(t *testing.T) { playListener(t, m.defect, conversation{m.Doc, conversations[m.defect]}) })
	}
}

// The client asks for what the application wants, gives it up with a cancel, and
// returns without an error when the server ends it.
func TestClientListens(t *testing.T) {
	e := modernEra()
	asks := func(name string, r sim.Request) step {
		return func(_ *testing.T, s *stage) {
			s.begin(name, func(ctx context.Context) (string, error) { return s.client.Call(ctx, r) })
		}
	}
	r := sim.Request{Method: protocol.Listen, Name: "r/1", Tools: true}
	asked := fill(`{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{$asked},"_meta":{$meta}}}`, "$asked", bothAgreed, "$meta", modernMeta)
	for _, c := range []conversation{
		{"given up", []step{asks("a", r), hear(asked), send(acknowledged("2", bothAgreed)), send(toolsToldTo("2")), giveUp("a"),
			hear(gaveUp("2")), returned("a", "", "context canceled"), send(endOf("2")), silence(time.Hour)}},
		{"ended by the server", []step{asks("a", r), hear(asked), send(acknowledged("2", bothAgreed)), send(endOf("2")), returned("a", "", "")}},
	} {
		t.Run(c.why, func(t *testing.T) {
			c.steps = append(e.connected(), c.steps...)
			playClient(t, e.version, none, c)
		})
	}
}
