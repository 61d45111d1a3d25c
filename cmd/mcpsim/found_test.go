package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A discovery is a row of the README's table of what mcpsim found: a bug in a
// release that has it, and its absence from the release that mended it.
type discovery struct {
	report      string // "go-sdk#1007"; empty: none is known
	finding     string // in a clause
	target      string
	side        string // that it sits on
	opposite    string // who sits opposite, of the same release; empty: the reference
	bad, good   string // releases; good is empty while there is none
	before      string // the last release before the bug, if it came with bad
	scenario    string
	transport   string // empty: the scenario's
	specVersion string
	rule        string
	seed        uint64 // the smallest that shows it
}

// silentSeeds is how many seeds must not break the rule in a release without the bug, and fewer
// where a world has hundreds of sessions.
const (
	silentSeeds        = 50
	silentSeedsOfStorm = 5
)

func discoveries() []discovery {
	return []discovery{
		{
			report: "go-sdk#1259", finding: "answers a call after its cancel was read", target: "go-sdk", side: "server",
			bad: "v1.8.0", scenario: "cancel-storm", specVersion: "2026-07-28", rule: "CANCEL-SILENCE", seed: 0,
		},
		{
			report: "go-sdk#1007", finding: "leaves the handler running when the client has gone", target: "go-sdk", side: "server",
			bad: "v1.6.1", good: "v1.7.0", scenario: "abrupt-close", specVersion: "2025-11-25", rule: "SHUT-STDIO-SERVER", seed: 1,
		},
		{
			report: "go-sdk#1061", finding: "drops what it owes when its input ends", target: "go-sdk", side: "server",
			bad: "v1.8.0", scenario: "half-close", specVersion: "2025-11-25", rule: "EOF-DRAINS", seed: 0,
		},
		{
			report: "go-sdk#1150", finding: "holds its caller until the network has taken the cancel", target: "go-sdk", side: "client",
			bad: "v1.7.0", good: "v1.8.0", scenario: "shaky-network", specVersion: "2025-11-25", rule: "CANCEL-NONBLOCKING", seed: 0,
		},
		{
			report: "mcp-go#755", finding: "ignores the cancel", target: "mcp-go", side: "server",
			bad: "v0.45.0", good: "v0.46.0", scenario: "cancel-storm", specVersion: "2025-11-25", rule: "CANCEL-STOP-WORK", seed: 0,
		},
		{
			report: "mcp-go#714", finding: "a call hangs for ever when the server dies", target: "mcp-go", side: "client",
			bad: "v0.43.2", good: "v0.44.0", scenario: "server-dies", specVersion: "2025-06-18", rule: "CALLER-UNBLOCKS", seed: 0,
		},
		{
			finding: "loses a cancel that is read right behind its request, which then runs to its end", target: "mcp-go", side: "server",
			bad: "v1.2.1", scenario: "shaky-network", specVersion: "2025-11-25", rule: "CANCEL-STOP-WORK", seed: 1,
		},
		{
			report: "go-sdk#1160", finding: "cannot be stopped while a subscription is open", target: "go-sdk", side: "server",
			bad: "v1.7.0", good: "v1.8.0", scenario: "listen-teardown", specVersion: "2026-07-28", rule: "CLOSE-BOUNDED", seed: 11,
		},
		{
			// A session that a client only asks to be discovered in: of a client that does, as
			// the SDK's own does by default.
			report: "go-sdk#1136", finding: "keeps a session of every client that has connected", target: "go-sdk", side: "server", opposite: "go-sdk+discover",
			bad: "v1.7.0", good: "v1.8.0", scenario: "connect-storm", specVersion: "2025-11-25", rule: "SESSION-ENDS", seed: 0,
		},
		{
			report: "go-sdk#1183", finding: "waits for ever for the answer to its farewell", target: "go-sdk", side: "client",
			bad: "v1.7.0", good: "v1.8.0", scenario: "close-unanswered", specVersion: "2025-11-25", rule: "CLOSE-BOUNDED", seed: 0,
		},
		{
			// Of its own cancel, which it posts although it need not, and which the server refuses.
			report: "go-sdk#1212", finding: "fails the session when a cancel that it posts is refused", target: "go-sdk", side: "client", opposite: "go-sdk",
			bad: "v1.7.0", good: "v1.8.0", scenario: "disconnect-modern", specVersion: "2026-07-28", rule: "RACE-GRACEFUL", seed: 0,
		},
		{
			finding: "takes a lost connection for a cancel", target: "mcp-go", side: "server",
			bad: "v1.2.1", scenario: "disconnect-legacy", specVersion: "2025-11-25", rule: "DISC-NOT-CANCEL", seed: 0,
		},
		{
			finding: "sends the progress of a call on the stream of another", target: "mcp-go", side: "server",
			bad: "v1.2.1", scenario: "disconnect-legacy", specVersion: "2025-11-25", rule: "HTTP-STREAM-RELATED", seed: 0,
		},
		{
			finding: "over HTTP sends no cancel for a call that its caller has given up", target: "mcp-go", side: "client", transport: "streamable-http",
			bad: "v1.2.1", scenario: "cancel-storm", specVersion: "2025-11-25", rule: "CANCEL-HTTP-EXPLICIT", seed: 0,
		},
		{
			// The report was closed with an option, and with the default as it was.
			report: "go-sdk#1093", finding: "does not take a closed stream for the cancel that it is, unless told to (`+propagate`)", target: "go-sdk", side: "server",
			bad: "v1.8.0", scenario: "disconnect-modern", specVersion: "2026-07-28", rule: "DISC-IS-CANCEL", seed: 0,
		},
		{
			// It is written beside the tool's return, whose answer ends the stream that was to carry it.
			finding: "over HTTP loses the cancel of what a tool had asked, if the tool then returns at once", target: "go-sdk", side: "server", transport: "streamable-http",
			before: "v1.7.0", bad: "v1.8.0", scenario: "nested-calls", specVersion: "2025-11-25", rule: "NESTED-CANCELLED", seed: 0,
		},
		{
			finding: "tells the list of tools to one subscription at a time, and to none once any has ended", target: "go-sdk", side: "server",
			bad: "v1.8.0", scenario: "listen-teardown", specVersion: "2026-07-28", rule: "LISTEN-DELIVERS", seed: 8,
		},
		{
			finding: "reads ids as 64-bit floats, and takes two large ones for one", target: "go-sdk", side: "server",
			bad: "v1.8.0", scenario: "id-twins", specVersion: "2026-07-28", rule: "CANCEL-RIGHT-CALL", seed: 1,
		},
		{
			finding: `takes 7 and "7" for one id`, target: "mcp-go", side: "server",
			bad: "v1.2.1", scenario: "id-twins", specVersion: "2026-07-28", rule: "CANCEL-RIGHT-CALL", seed: 0,
		},
		{
			report: "mcp-go#897", finding: "ends a task with the request that began it", target: "mcp-go", side: "server",
			bad: "v1.2.1", scenario: "task-cancel", specVersion: "2025-11-25", rule: "NO-SPURIOUS-CANCEL", seed: 0,
		},
		{
			finding: "writes progress behind the response", target: "mcp-go", side: "server",
			bad: "v1.2.1", scenario: "half-close", specVersion: "2025-11-25", rule: "PROGRESS-STOP", seed: 0,
		},
		{
			finding: "does not cancel what a tool had asked of the client", target: "mcp-go", side: "server",
			bad: "v1.2.1", scenario: "nested-calls", specVersion: "2025-11-25", rule: "NESTED-CANCELLED", seed: 0,
		},
		{
			finding: "never tells its sampling handler that the server has cancelled", target: "mcp-go", side: "client",
			bad: "v1.2.1", scenario: "nested-calls", specVersion: "2025-11-25", rule: "CANCEL-STOP-WORK", seed: 0,
		},
		{
			finding: "answers subscriptions before acknowledging them", target: "mcp-go", side: "server",
			bad: "v1.2.1", scenario: "listen-teardown", specVersion: "2026-07-28", rule: "LISTEN-ACK-FIRST", seed: 0,
		},
		{
			finding: "the second batch that has a notification in it ends the session", target: "go-sdk", side: "server",
			bad: "v1.8.0", scenario: "batches", specVersion: "2025-03-26", rule: "RACE-GRACEFUL", seed: 0,
		},
		{
			finding: "loses the cancel of a call that waits for a free worker, and runs it", target: "mcp-go", side: "server",
			bad: "v1.2.1", scenario: "queued-behind-busy", specVersion: "2025-11-25", rule: "CANCEL-STOP-WORK", seed: 0,
		},
	}
}

// choice seats a release of the target opposite the other side.
func (d discovery) choice(release string) choice {
	other := "reference"
	if d.opposite != "" {
		other = d.opposite + "@" + release
	}
	c := choice{client: other, server: other, transport: d.transport, specVersions: []string{d.specVersion}}
	if d.side == "client" {
		c.client = d.target + "@" + release
	} else {
		c.server = d.target + "@" + release
	}
	return c
}

// line is the row as the README has it.
func (d discovery) line() string {
	good, c := d.good, d.choice(d.bad)
	if good == "" {
		good = "none yet"
	}
	side, over := d.side, ""
	if d.before != "" {
		side += ", not " + d.before
	}
	if d.transport != "" {
		over = " --transport " + d.transport
	}
	return fmt.Sprintf("| %s | %s %s %s | %s | %s: %s | `mcpsim replay %s --seed %d --spec-version %s --client %s --server %s%s --rule %s` |",
		d.link(), d.target, d.bad, side, good, d.rule, d.finding, d.scenario, d.seed, d.specVersion, c.client, c.server, over, d.rule)
}

func (d discovery) link() string {
	if d.report == "" {
		return "no report known"
	}
	project := map[string]string{"go-sdk": "modelcontextprotocol/go-sdk", "mcp-go": "mark3labs/mcp-go"}[d.target]
	_, number, _ := strings.Cut(d.report, "#")
	return fmt.Sprintf("[%s](https://github.com/%s/issues/%s)", d.report, project, number)
}

// TestWhatItFound holds each row: the seed shows the bug, none below it does, and
// the release that mended it, or that did not have it yet, shows it in no seed. There
// is no row that is not held.
func TestWhatItFound(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	assert.Len(t, regexp.MustCompile(`--rule [A-Z-]+`+"` \\|\n").FindAll(readme, -1), len(discoveries()), "the README's rows")
	for _, d := range discoveries() {
		t.Run(d.report+" "+d.rule, func(t *testing.T) {
			assert.Contains(t, string(readme), d.line(), "the README's row")
			d.hold(t)
		})
	}
}

func (d discovery) hold(t *testing.T) {
	_, failed := failures(t, d.scenario, d.choice(d.bad), d.seed+1)
	assert.Positive(t, failed[d.rule], "%s %s has the bug: %v", d.target, d.bad, failed)
	if d.seed > 0 {
		_, failed = failures(t, d.scenario, d.choice(d.bad), d.seed)
		assert.Zero(t, failed[d.rule], "a smaller seed shows it, too")
	}
	for _, release := range []string{d.before, d.good} {
		if release != "" {
			_, failed = failures(t, d.scenario, d.choice(release), d.silent())
			assert.Zero(t, failed[d.rule], "%s %s is free of it: %v", d.target, release, failed)
		}
	}
}

// silent is how many seeds must not break the rule in a release without the bug.
func (d discovery) silent() uint64 {
	if d.scenario == "connect-storm" {
		return silentSeedsOfStorm
	}
	return silentSeeds
}
