package oracle

import "github.com/mcpsim/mcpsim/sim/history"

// What the rules that are laid out wait for.
const (
	needsExt    = "the extension io.modelcontextprotocol/tasks"
	needsReturn = "a client that connects again"
)

// awaitingRules are described and not judged yet. What convicts, and what must not,
// is laid down, so that an oracle only has to add the evidence.
func awaitingRules() []Rule {
	return []Rule{{
		ID: "CANCEL-TASK-EXT", Side: history.Client, Property: Safety, Awaits: needsExt,
		Statement: "A call that has become a task of the extension is cancelled by tasks/cancel, not by notifications/cancelled.",
		Elsewhere: []Binding{{Stdio, modernEra, "", MustNot}, {StreamableHTTP, modernEra, "", MustNot}},
		Clauses: []Clause{
			{From: modernEra, Page: "/seps/2663-tasks-extension", Quote: "The notifications/cancelled notification MUST NOT be used for task cancellation", Level: MustNot},
		},
		Convicts: "A cancel named a tools/call whose result, a task, the client had read.",
		Exempt: []Exemption{
			{Race: "R9", What: "The cancel was written before the client had read that the call is a task."},
			{Race: "R15", What: "The task completes all the same."},
		},
	}, {
		ID: "PROGRESS-TASK-EXT", Side: history.Server, Property: Safety, Awaits: needsExt,
		Statement: "Progress and log messages of a task of the extension are not sent on the stream of a subscription.",
		Elsewhere: []Binding{{Stdio, modernEra, "", MustNot}, {StreamableHTTP, modernEra, "", MustNot}},
		Clauses: []Clause{
			{From: modernEra, Page: "/seps/2663-tasks-extension", Quote: "MUST NOT be sent on the subscriptions/listen stream for a task", Level: MustNot},
		},
		Convicts: "A message of a task was tagged with the id of a subscription.",
	}, {
		ID: "LOST-INFLIGHT", Side: history.Client, Property: Liveness, Awaits: needsReturn,
		Statement: "A client whose server's process has ended on its own starts it again; what was in flight is lost.",
		Elsewhere: []Binding{{Stdio, modernEra, "", Should}},
		Clauses: []Clause{
			{From: modernEra, Over: Stdio, Page: stdioPage, Quote: "If the server process exits unexpectedly, the client SHOULD restart it", Level: Should},
		},
		Convicts: "The server's process ended, which nobody had asked for, the application made another call, and no process was started for it.",
		Exempt: []Exemption{
			{Race: "R7", What: "The application was closing the client."},
			{What: "That the calls in flight get no answer. That their callers hear of it is CALLER-UNBLOCKS."},
		},
	}, {
		ID: "LISTEN-RESEND", Side: history.Client, Property: Liveness, Awaits: needsReturn,
		Statement: "A client that has connected again over stdio subscribes again.",
		Elsewhere: []Binding{{Stdio, modernEra, "", Must}},
		Clauses: []Clause{
			{From: modernEra, Over: Stdio, Page: "basic/patterns/subscriptions", Quote: "client MUST re-send subscriptions/listen to re-establish its subscriptions", Level: Must},
		},
		Convicts: "The client had a subscription, connected anew, and did not ask for it again.",
		Exempt:   []Exemption{{What: "The application had given the subscription up."}},
	}}
}
