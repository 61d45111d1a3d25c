// Package reference holds our own client and server: small, strict peers for both eras of
// the protocol, over newline-delimited JSON, over Streamable HTTP of both generations, and
// over the old HTTP+SSE. One sits opposite an SDK under test, so that what goes wrong is
// the SDK's doing, and both together show that a scenario can be passed.
//
// It also holds the mutants: the same code with one named defect each, which
// prove that an oracle bites.
//
// It is not an SDK. It knows tools, resources, prompts, completion, progress,
// cancellation, subscriptions, tasks, what a server asks its client, and the
// handshakes, and refuses the rest as the specification wants it refused.
//
// Read in this order: targets.go lists what there is; server.go and gate.go are
// the server, answers.go, lists.go and listen.go what it says, questions.go what its
// tools ask; client.go, link.go and outgoing.go are the client, calls.go what it asks,
// answering.go what it says to what a server asks; frames.go and results.go are what both
// need. How frames travel is apart from what is said: a server writes to the outlet of a
// lane (lane.go), which is a line of a byte stream or an SSE stream (stream.go), and a
// client has a carrier (carrier.go), which is a pipe or a web (web.go, web_post.go,
// web_stream.go, web_old.go). http_server.go, http_legacy.go, http_modern.go and
// http_old.go are how HTTP reaches a server's sessions; sse.go and headers.go are what both
// need of it. tasks.go and client_tasks.go are what calls become that are made as tasks,
// batch_server.go and batch_client.go what one version sends together;
// mischief_client.go and mischief_server.go are what a scenario has them do wrong on
// purpose; mutants.go is the table of defects and what each adds, hooks_wire.go what
// those of mutants_wire.go add, and hooks_http.go those of mutants_http.go.
//
// Whatever the order in which goroutines run, the strict peers keep the rules
// because of one habit: nothing that a reader needs is ever locked while
// somebody waits for the network. So a reader acts on a frame in the same step
// in which its Read returned, and what is decided under a lock is written in
// the same step, too.
package reference

import (
	"slices"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// Name is the strict peers' name as a target.
const Name = "reference"

// codePath is where this package's own code lives.
const codePath = "github.com/mcpsim/mcpsim/sim/reference"

// Targets returns the reference and then every mutant, in the order of Mutants.
// A mutant has only the side that its defect is on.
func Targets() []sim.Target {
	strict := target(Name, "strict client and server of our own, to sit opposite an implementation under test")
	strict.RepeatsCancels, strict.Unruly, strict.Polls, strict.Transports = true, true, true, sim.Transports()
	strict.NewClient, strict.NewServer = clientWith(none), serverWith(none)
	all := []sim.Target{strict}
	for _, m := range Mutants() {
		t := target(m.Target(), m.Doc)
		t.Unruly, t.Transports = true, m.Over
		if m.Side == history.Client {
			t.RepeatsCancels = true
			t.NewClient = clientWith(m.defect)
		} else {
			t.Polls, t.NewServer = true, serverWith(m.defect)
		}
		all = append(all, t)
	}
	return all
}

func target(name, doc string) sim.Target {
	return sim.Target{
		Name:         name,
		Package:      codePath,
		SpecVersions: protocol.Versions(),
		Sends:        slices.Concat(sim.Methods(), sim.TaskMethods()),
		Serves:       slices.Concat(sim.Methods(), sim.TaskMethods()),
		Asks:         sim.Questions(),
		Answers:      sim.Questions(),
		Doc:          doc,
	}
}

func clientWith(d defect) func(sim.ClientEnv) sim.Client {
	return func(env sim.ClientEnv) sim.Client { return newClient(env, d) }
}

func serverWith(d defect) func(sim.ServerEnv) sim.Server {
	return func(env sim.ServerEnv) sim.Server { return newServer(env, d) }
}
