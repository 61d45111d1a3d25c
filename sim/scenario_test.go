package sim_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim"
)

const minimal = "name: least\nsummary: the least that a file has to say\nhandlers: [{kind: cooperative, work: 100ms}]\n"

func parse(t testing.TB, file string) *sim.Scenario {
	t.Helper()
	sc, err := sim.Parse("test.yaml", []byte(file))
	require.NoError(t, err)
	return sc
}

func TestParseFillsInDefaults(t *testing.T) {
	perfect := sim.Link{Buffer: 64 << 10}
	assert.Equal(t, &sim.Scenario{
		Name:         "least",
		Summary:      "the least that a file has to say",
		Transport:    "stdio",
		SpecVersions: []string{"2025-11-25", "2026-07-28"},
		Client:       "go-sdk",
		Server:       "go-sdk",
		Load:         sim.Load{Arrivals: "closed", Callers: 1, Calls: 1},
		Network:      sim.Network{Profile: "loopback", ClientToServer: perfect, ServerToClient: perfect},
		Handlers:     []sim.Handler{{Kind: "cooperative", Weight: 1, Work: sim.Fixed(100 * time.Millisecond)}},
		Cancel:       sim.CancelPlan{When: "uniform"},
		Scheduler:    "shuffled",
		Limits:       sim.Limits{Horizon: 10 * time.Minute, Settle: 5 * time.Second},
	}, parse(t, minimal))
}

func TestParseReads(t *testing.T) {
	exponential := sim.Distribution{Distribution: netem.Exponential, Offset: 5 * time.Millisecond, Mean: 20 * time.Millisecond}
	rows := []struct {
		why  string
		file string
		want any
		got  func(*sim.Scenario) any
	}{
		{"a bare duration is a constant", "load: {think: 10s}",
			sim.Fixed(10 * time.Second), func(sc *sim.Scenario) any { return sc.Load.Think }},
		{"as is the long form", "load: {think: {constant: 10s}}",
			sim.Fixed(10 * time.Second), func(sc *sim.Scenario) any { return sc.Load.Think }},
		{"0s is no distribution at all", "load: {think: {constant: 0s}}",
			sim.Distribution{}, func(sc *sim.Scenario) any { return sc.Load.Think }},
		{"a profile fills in both directions", "network: {profile: wan}",
			sim.Link{Delay: exponential, Bandwidth: 50_000_000, Buffer: 64 << 10}, func(sc *sim.Scenario) any { return sc.Network.ServerToClient }},
		{"a direction replaces the profile's as a whole", "network: {client_to_server: {delay: 1ms}, profile: wan}",
			sim.Link{Delay: sim.Fixed(time.Millisecond), Buffer: 64 << 10}, func(sc *sim.Scenario) any { return sc.Network.ClientToServer }},
		{"and leaves the other", "network: {client_to_server: {delay: 1ms}, profile: wan}",
			exponential, func(sc *sim.Scenario) any { return sc.Network.ServerToClient.Delay }},
		{"rates are bits a second", "network: {client_to_server: {bandwidth: 1.5Mbit/s, buffer: 1MiB}, server_to_client: {bandwidth: unlimited}}",
			sim.Link{Bandwidth: 1_500_000, Buffer: 1 << 20}, func(sc *sim.Scenario) any { return sc.Network.ClientToServer }},
		{"a heavy tail", "load: {think: {pareto: {scale: 10ms, shape: 1.5, cap: 2s}}}",
			sim.Distribution{Distribution: netem.Pareto, Scale: 10 * time.Millisecond, Shape: 1.5, Cap: 2 * time.Second}, func(sc *sim.Scenario) any { return sc.Load.Think }},
		{"samples, in ascending order", "load: {think: {samples: [40ms, 5ms, 7ms]}}",
			sim.Distribution{Distribution: netem.Empirical, Samples: &netem.Table{5 * time.Millisecond, 7 * time.Millisecond, 40 * time.Millisecond}},
			func(sc *sim.Scenario) any { return sc.Load.Think }},
		{"everything that a link can have", "network: {client_to_server: {correlation: 0.5, correlation_time: 1s, stall: {every: 1s, for: 2s}, coalesce: 3ms, split: {pieces: 4, gap: 5ms}}, server_to_client: {}}",
			sim.Link{Buffer: 64 << 10, Correlation: 0.5, CorrelationTime: time.Second, Stall: netem.Stall{Every: sim.Fixed(time.Second), For: sim.Fixed(2 * time.Second)},
				Coalesce: sim.Fixed(3 * time.Millisecond), Split: netem.Split{Pieces: 4, Gap: sim.Fixed(5 * time.Millisecond)}},
			func(sc *sim.Scenario) any { return sc.Network.ClientToServer }},
		{"a correlation has a time", "network: {client_to_server: {correlation: 0.5}, server_to_client: {}}",
			100 * time.Millisecond, func(sc *sim.Scenario) any { return sc.Network.ClientToServer.CorrelationTime }},
		{"also that of a profile", "network: {profile: mobile}",
			100 * time.Millisecond, func(sc *sim.Scenario) any { return sc.Network.ClientToServer.CorrelationTime }},
		{"a rule alone", "require: [NO-LEAK]",
			[]sim.Requirement{{AnyOf: []string{"NO-LEAK"}}}, func(sc *sim.Scenario) any { return sc.Require }},
		{"one of two rules", "require: [A-B | C-D]",
			[]sim.Requirement{{AnyOf: []string{"A-B", "C-D"}}}, func(sc *sim.Scenario) any { return sc.Require }},
		{"a rule of one version", "require: [{any_of: [A-B], spec_versions: [2026-07-28]}]",
			[]sim.Requirement{{AnyOf: []string{"A-B"}, SpecVersions: []string{"2026-07-28"}}}, func(sc *sim.Scenario) any { return sc.Require }},
		{"the draft is a name of the newest version", "spec_versions: [2024-11-05, draft]",
			[]string{"2024-11-05", "2026-07-28"}, func(sc *sim.Scenario) any { return sc.SpecVersions }},
		{"in a requirement, too", "require: [{any_of: [A-B], spec_versions: [draft]}]",
			[]sim.Requirement{{AnyOf: []string{"A-B"}, SpecVersions: []string{"2026-07-28"}}}, func(sc *sim.Scenario) any { return sc.Require }},
		{"an end while calls are in flight", "end: {how: half-close, at: 2s}",
			sim.EndPlan{How: sim.EndHalfClose, At: sim.Fixed(2 * time.Second)}, func(sc *sim.Scenario) any { return sc.End }},
		{"HTTP, and what it has when the file does not say", "transport: streamable-http",
			sim.HTTPPlan{Protocol: "http/1.1", Instances: 1}, func(sc *sim.Scenario) any { return sc.HTTP }},
		{"the same of the old one", "transport: http-sse",
			sim.HTTPPlan{Protocol: "http/1.1", Instances: 1}, func(sc *sim.Scenario) any { return sc.HTTP }},
		{"which is of one version", "transport: http-sse",
			[]string{"2024-11-05"}, func(sc *sim.Scenario) any { return sc.SpecVersions }},
		{"a transport at the end of the file", "network: {profile: wan, loss: 0.01}\ntransport: streamable-http",
			0.01, func(sc *sim.Scenario) any { return sc.Network.ServerToClient.Loss }},
		{"a loss of one direction alone", "transport: streamable-http\nnetwork: {profile: wan, loss: 0.01, client_to_server: {loss: 0}}",
			0.0, func(sc *sim.Scenario) any { return sc.Network.ClientToServer.Loss }},
		{"everything about HTTP", "transport: streamable-http\nhttp: {protocol: h2c, instances: 2, faults: [{kind: hold, of: tools/call, share: 0.3, after: 80ms}, {kind: cut, share: 0.2, events: 1}, {kind: bad-gateway, share: 1}]}",
			sim.HTTPPlan{Protocol: sim.H2C, Instances: 2, Faults: []sim.HTTPFault{
				{Kind: sim.Hold, Of: "tools/call", Share: 0.3, After: sim.Fixed(80 * time.Millisecond)},
				{Kind: sim.Cut, Share: 0.2, Events: 1},
				{Kind: sim.BadGateway, Share: 1},
			}}, func(sc *sim.Scenario) any { return sc.HTTP }},
		{"many clients", "transport: streamable-http\nload: {clients: 20, calls: 4, connect: 1s}",
			sim.Load{Arrivals: "closed", Callers: 1, Calls: 4, Clients: 20, Connect: sim.Fixed(time.Second)}, func(sc *sim.Scenario) any { return sc.Load }},
		{"one client is what there is anyway", "load: {clients: 1}",
			sim.Load{Arrivals: "closed", Callers: 1, Calls: 1}, func(sc *sim.Scenario) any { return sc.Load }},
		{"a load that an early end cuts short", "load: {calls: 100000}\nend: {how: server-exit, at: 2s}",
			100_000, func(sc *sim.Scenario) any { return sc.Load.Calls }},
		{"a load for benchmarks", "load: {callers: 8, calls: 400, think: 10s}\nlimits: {horizon: 2h}",
			sim.Load{Arrivals: "closed", Callers: 8, Calls: 400, Think: sim.Fixed(10 * time.Second)}, func(sc *sim.Scenario) any { return sc.Load }},
		{"the largest load", "load: {callers: 1000, calls: 100000}\nlimits: {horizon: 100h}",
			100_000, func(sc *sim.Scenario) any { return sc.Load.Calls }},
	}
	for _, row := range rows {
		sc, err := sim.Parse("test.yaml", []byte(minimal+row.file))
		if assert.NoError(t, err, row.why) {
			assert.Equal(t, row.want, row.got(sc), row.why)
		}
	}
}

func TestSettleLetsEveryToolEnd(t *testing.T) {
	sc := parse(t, "name: slow\nsummary: slow tools\nhandlers:\n- {kind: slow-cleanup, work: 8s, cleanup: 3s}\n- {kind: stubborn, work: 9s}\n")
	assert.Equal(t, 11*time.Second, sc.Limits.Settle)
}

func TestParseReadsOtherLineEndsAndStyles(t *testing.T) {
	want := parse(t, minimal)
	rows := []struct{ why, file string }{
		{"CRLF", strings.ReplaceAll(minimal, "\n", "\r\n")},
		{"no newline at the end", strings.TrimSpace(minimal)},
		{"JSON", `{"name": "least", "summary": "the least that a file has to say", "handlers": [{"kind": "cooperative", "work": "100ms"}]}`},
		{"document markers", "---\n" + minimal + "...\n"},
		{"block style", "name: 'least'\nsummary: |-\n  the least that a file has to say\nhandlers:\n- kind: cooperative\n  work: 100ms\n"},
	}
	for _, row := range rows {
		sc, err := sim.Parse("test.yaml", []byte(row.file))
		if assert.NoError(t, err, row.why) {
			assert.Equal(t, want, sc, row.why)
			assert.Equal(t, want.Hash(), sc.Hash(), row.why)
		}
	}
}

// Each file of testdata/faults has a list of everything that is wrong with it
// beside it, as people see it.
func TestFaults(t *testing.T) {
	files, err := filepath.Glob("testdata/faults/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			want, err := os.ReadFile(strings.TrimSuffix(file, ".yaml") + ".want")
			require.NoError(t, err)
			sc, err := sim.Parse(filepath.Base(file), data)
			require.Error(t, err)
			assert.Nil(t, sc)
			assert.Equal(t, string(want), err.Error()+"\n")
		})
	}
}

func faultsOf(t testing.TB, err error) []sim.Fault {
	t.Helper()
	var e *sim.ScenarioError
	require.ErrorAs(t, err, &e)
	return e.Faults
}

func TestFaultsAreBounded(t *testing.T) {
	_, err := sim.Parse("test.yaml", []byte(minimal+"load: {"+strings.Repeat("x: 1, ", 1000)+"}"))
	faults := faultsOf(t, err)
	assert.Len(t, faults, 51)
	assert.Equal(t, "950 more faults follow", faults[50].Problem)
}

// Each of these takes a YAML reader to its knees when it is let in.
func TestBombsAreRefused(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("a0: &a0 x\n")
	for i := 1; i < 30; i++ {
		n := string(rune('a' + i))
		laughs.WriteString(n + ": &" + n + " [*a0, *a0, *a0, *a0]\n")
	}
	rows := []struct{ why, file, problem string }{
		{"a file that is too large", minimal + strings.Repeat("#", 1<<20), "bytes"},
		{"aliases of aliases", laughs.String(), "aliases"},
		{"brackets in brackets", "load: " + strings.Repeat("[", 500_000), "nested"},
		{"dashes behind dashes", "load:\n" + strings.Repeat("- ", 500_000), "nested"},
		{"question marks behind question marks", strings.Repeat("? ", 500_000), "?"},
		{"tags behind tags", "load: " + strings.Repeat("!a ", 300_000), "tags"},
		{"more keys than the reader can take", strings.Repeat("k: v\n", 200_000), "too long"},
		{"a staircase of keys", staircase(1000), "nested"},
	}
	for _, row := range rows {
		_, err := sim.Parse("test.yaml", []byte(row.file))
		faults := faultsOf(t, err)
		assert.Contains(t, faults[0].Problem, row.problem, row.why)
	}
}

func staircase(steps int) string {
	var b strings.Builder
	for i := range steps {
		b.WriteString(strings.Repeat(" ", i) + "k:\n")
	}
	return b.String()
}

func TestVocabulary(t *testing.T) {
	v := sim.Vocabulary{Targets: []string{"go-sdk", "mutant:late-value", "reference"}, Rules: []string{"NO-LEAK", "RESP-ONCE"}}
	rows := []struct{ why, file, problem, cure string }{
		{"what exists passes", "client: reference\nrequire: [NO-LEAK|RESP-ONCE]", "", ""},
		{"a version is not part of the name", "server: go-sdk@v1.8.0", "", ""},
		{"a target that does not exist", "client: gosdk@v1.8.0", `"gosdk" is no target`,
			"did you mean go-sdk? write go-sdk, mutant:late-value or reference"},
		{"a rule that does not exist", "require: [NO-LEAKS]", `"NO-LEAKS" is no rule of this version`,
			"did you mean NO-LEAK? write NO-LEAK or RESP-ONCE"},
	}
	for _, row := range rows {
		_, err := v.Parse("test.yaml", []byte(minimal+row.file))
		if row.problem == "" {
			assert.NoError(t, err, row.why)
			continue
		}
		faults := faultsOf(t, err)
		require.Len(t, faults, 1, row.why)
		assert.Equal(t, 4, faults[0].Line, row.why)
		assert.Equal(t, row.problem, faults[0].Problem, row.why)
		assert.Equal(t, row.cure, faults[0].Cure, row.why)
	}
}

// A scenario that was changed in code is checked like a file, without positions.
func TestValidateAfterChange(t *testing.T) {
	sc := parse(t, minimal)
	require.NoError(t, sc.Validate())
	sc.Load.Calls = 0
	sc.Client = ""
	sc.Network.ClientToServer.Buffer = 0
	err := sc.Validate()
	assert.Len(t, faultsOf(t, err), 3)
	assert.Contains(t, err.Error(), "least: load.calls: 0 is out of range; write a number from 1 to 100000")
	_, err = sim.Expand(sc, 1, nil)
	assert.ErrorContains(t, err, "expand least: ")
	var none sim.Scenario
	assert.Error(t, none.Validate(), "the zero scenario says nothing")
}

func TestHashFollowsTheMeaning(t *testing.T) {
	base := parse(t, minimal).Hash()
	assert.Len(t, base, 64)
	assert.Equal(t, base, parse(t, "# a comment\n"+minimal+"load: {calls: 1}\n").Hash(), "a default that is spelt out")
	assert.NotEqual(t, base, parse(t, minimal+"load: {calls: 2}\n").Hash(), "another load")
}

// What a report calls the way between the two sides.
func TestWireSaysWhatIsOutOfTheOrdinary(t *testing.T) {
	assert.Equal(t, "wan (5ms + exp 20ms each way)", parse(t, minimal+"network: {profile: wan}").Wire())
	assert.Equal(t, "lan (200us ± 30us each way); 20 clients a world; h2c; 2 servers at one address; hold 30 % of tools/call; bad-gateway 0.5 % of all that is posted",
		parse(t, minimal+`load: {clients: 20, calls: 1}
transport: streamable-http
network: {profile: lan}
http:
  protocol: h2c
  instances: 2
  faults:
    - {kind: hold, of: tools/call, share: 0.3, after: 5ms}
    - {kind: bad-gateway, share: 0.005}
`).Wire())
}

// What it calls a network.
func TestNetworkString(t *testing.T) {
	for _, row := range []struct{ network, want string }{
		{"profile: wan", "wan (5ms + exp 20ms each way)"},
		{"profile: mobile", "mobile (Pareto from 20ms (shape 1.8), correlated each way)"},
		{"profile: satellite", "satellite (280ms ± 15ms each way)"},
		{"client_to_server: {delay: {samples: [1ms, 2ms]}, coalesce: 1ms}, server_to_client: {delay: 1ms, stall: {every: 1s, for: 1s}, split: {pieces: 2, gap: 1ms}}",
			"one of 2 samples, coalesced there; 1ms, stalling, in pieces back"},
		{"client_to_server: {delay: {samples: [3ms]}}, server_to_client: {delay: 3ms}", "3ms each way"},
		{"profile: lan, loss: 0.015}\ntransport: streamable-http\nhttp: {protocol: h2c", "lan (200us ± 30us, 1.5 % lost each way)"},
	} {
		assert.Equal(t, row.want, parse(t, minimal+"network: {"+row.network+"}").Network.String())
	}
}

func TestRequirement(t *testing.T) {
	r := sim.Requirement{AnyOf: []string{"A-B", "C-D"}, SpecVersions: []string{"2026-07-28"}}
	assert.True(t, r.AppliesTo("2026-07-28"))
	assert.False(t, r.AppliesTo("2025-11-25"))
	assert.True(t, sim.Requirement{}.AppliesTo("2025-11-25"), "no version is every version")
	assert.True(t, r.Met(func(rule string) bool { return rule == "C-D" }))
	assert.False(t, r.Met(func(string) bool { return false }))
	assert.Equal(t, "A-B|C-D", r.String())
}

func TestMarshalRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawScenario(t)
		if err := want.Validate(); err != nil {
			t.Fatalf("the generator made what is not valid: %v", err)
		}
		file := want.Marshal()
		got, err := sim.Parse("test.yaml", file)
		if err != nil {
			t.Fatalf("%v\n%s", err, file)
		}
		assert.Equal(t, want, got)
		assert.Equal(t, string(file), string(got.Marshal()))
	})
}

// drawScenario makes any valid scenario of some size.
func drawScenario(t *rapid.T) *sim.Scenario {
	sc := &sim.Scenario{
		Name:         rapid.StringMatching(`[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,3}`).Draw(t, "name"),
		Summary:      "x" + rapid.StringMatching(`[ -~äß漢"\\#:{}'&*!|>%@]{0,60}`).Draw(t, "summary"),
		Transport:    "stdio",
		SpecVersions: rapid.SampledFrom([][]string{{"2025-11-25"}, {"2026-07-28"}, {"2026-07-28", "2025-11-25"}}).Draw(t, "versions"),
		Client:       rapid.SampledFrom([]string{"go-sdk", "reference", `go-sdk@C:\sdk"x`, "mutant:late-value"}).Draw(t, "client"),
		Server:       "go-sdk@v1.8.0",
		Load:         drawLoad(t),
		Network:      sim.Network{Profile: rapid.SampledFrom([]string{"", "wan"}).Draw(t, "profile"), ClientToServer: drawLink(t), ServerToClient: drawLink(t)},
		Cancel:       drawCancelPlan(t),
		Scheduler:    rapid.SampledFrom([]string{"shuffled", "fifo"}).Draw(t, "scheduler"),
		Limits:       sim.Limits{Horizon: 2400 * time.Hour, Settle: 2000*time.Hour + drawTime(t, "settle")},
	}
	for range rapid.IntRange(1, 4).Draw(t, "handlers") {
		sc.Handlers = append(sc.Handlers, drawHandler(t))
	}
	if slices.ContainsFunc(sc.Load.Requests, func(k sim.RequestKind) bool { return k.Kind == "subscriptions/listen" }) {
		sc.Changes = sim.ChangePlan{Count: rapid.IntRange(1, 99).Draw(t, "changes"), Every: drawDistribution(t)}
	}
	if rapid.Bool().Draw(t, "ends early") {
		sc.End = sim.EndPlan{How: rapid.SampledFrom(append(sim.EndKinds(), sim.EndAny)).Draw(t, "end"), At: sim.Fixed(time.Hour)}
	}
	if rapid.Bool().Draw(t, "over HTTP") {
		drawHTTP(t, sc)
	}
	for range rapid.IntRange(0, 3).Draw(t, "requirements") {
		r := sim.Requirement{AnyOf: rapid.SliceOfN(rapid.StringMatching(`[A-Z]{2,9}-[A-Z0-9]{1,9}`), 1, 3).Draw(t, "rules")}
		if rapid.Bool().Draw(t, "limited") {
			r.SpecVersions = sc.SpecVersions[:1]
		}
		sc.Require = append(sc.Require, r)
	}
	return sc
}

// drawHTTP puts a scenario on a transport over HTTP.
func drawHTTP(t *rapid.T, sc *sim.Scenario) {
	sc.Transport = sim.StreamableHTTP
	if rapid.Bool().Draw(t, "the old one") {
		sc.Transport, sc.SpecVersions = sim.HTTPSSE, []string{"2024-11-05"}
	}
	if sc.End.How == sim.EndHalfClose {
		sc.End.How = sim.EndStop
	}
	sc.HTTP = sim.HTTPPlan{Protocol: rapid.SampledFrom([]string{sim.HTTP1, sim.H2C}).Draw(t, "protocol"), Instances: rapid.IntRange(2, 16).Draw(t, "instances")}
	for range rapid.IntRange(0, 3).Draw(t, "faults") {
		f := drawHTTPFault(t)
		if f.Kind == sim.Misroute {
			sc.HTTP.Instances = max(sc.HTTP.Instances, 2)
		}
		sc.HTTP.Faults = append(sc.HTTP.Faults, f)
	}
	sc.Network.ClientToServer.Loss = rapid.Float64Range(0, 0.5).Draw(t, "loss")
	sc.Network.ServerToClient.Loss = rapid.SampledFrom([]float64{0, 0.01}).Draw(t, "loss back")
	if n := rapid.SampledFrom([]int{0, 2, 1000}).Draw(t, "clients"); n > 0 {
		sc.Load.Clients, sc.Load.Connect = n, drawDistribution(t)
	}
}

func drawHTTPFault(t *rapid.T) sim.HTTPFault {
	f := sim.HTTPFault{
		Kind:  rapid.SampledFrom(sim.HTTPFaultKinds()).Draw(t, "fault"),
		Of:    rapid.SampledFrom([]string{"", "tools/call", "notifications/cancelled"}).Draw(t, "of"),
		Share: rapid.Float64Range(0, 1).Draw(t, "share"),
	}
	switch f.Kind {
	case sim.Buffer:
		f.After = drawDistribution(t)
	case sim.SlowPost, sim.Hold, sim.Drop, sim.Timeout:
		f.After = sim.Fixed(1 + drawTime(t, "after"))
	case sim.Cut:
		f.Events = rapid.IntRange(0, 9).Draw(t, "events")
	}
	return f
}

func drawLoad(t *rapid.T) sim.Load {
	l := sim.Load{Arrivals: sim.Closed, Callers: rapid.IntRange(1, 8).Draw(t, "callers"), Calls: rapid.IntRange(8, 99).Draw(t, "calls"), Think: drawDistribution(t)}
	if rapid.Bool().Draw(t, "open") {
		l = sim.Load{Arrivals: sim.Open, Calls: l.Calls, Rate: rapid.Float64Range(0.001, 1e6).Draw(t, "rate")}
	}
	for range rapid.IntRange(0, 3).Draw(t, "requests") {
		k := sim.RequestKind{Kind: rapid.SampledFrom(sim.Methods()).Draw(t, "method"), Weight: rapid.IntRange(1, 9).Draw(t, "weight")}
		switch k.Kind {
		case "subscriptions/listen":
			k.For = sim.Fixed(time.Second + drawTime(t, "for"))
		case "tools/call":
			k.Task = drawTask(t)
		}
		l.Requests = append(l.Requests, k)
	}
	return l
}

func drawTask(t *rapid.T) *sim.TaskPlan {
	p := &sim.TaskPlan{
		Wait:   rapid.SampledFrom([]string{sim.ByResult, sim.ByPolling}).Draw(t, "wait"),
		GiveUp: rapid.SampledFrom([]string{sim.GiveUpTask, sim.GiveUpWait, sim.GiveUpCall}).Draw(t, "give up"),
	}
	if p.Wait == sim.ByPolling {
		p.Every = sim.Fixed(rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second}).Draw(t, "every"))
	}
	for range rapid.IntRange(0, 3).Draw(t, "then") {
		p.Then = append(p.Then, rapid.SampledFrom([]string{sim.ThenGet, sim.ThenCancel, sim.ThenUnknown}).Draw(t, "question"))
	}
	return p
}

func drawCancelPlan(t *rapid.T) sim.CancelPlan {
	p := sim.CancelPlan{
		Share: rapid.Float64Range(0, 1).Draw(t, "share"), When: sim.Uniform,
		Timeouts: rapid.SampledFrom([]float64{0, 0.3, 1}).Draw(t, "timeouts"),
		Reason:   rapid.StringMatching(`[ -~äß漢"\\#:{}'&*!|>%@]{0,60}`).Draw(t, "reason"),
		Repeat:   rapid.IntRange(0, 100).Draw(t, "repeat"),
	}
	for range rapid.IntRange(0, 3).Draw(t, "aims") {
		a := sim.Aim{Event: rapid.SampledFrom(sim.CancelEvents()).Draw(t, "event"), Weight: rapid.IntRange(1, 9).Draw(t, "weight")}
		if a.Event == sim.AtEnded && rapid.Bool().Draw(t, "early") {
			a.Before = drawDistribution(t)
		} else {
			a.Offset = drawDistribution(t)
		}
		p.When, p.Timeouts, p.Aims = sim.Aimed, 0, append(p.Aims, a)
	}
	return p
}

func drawHandler(t *rapid.T) sim.Handler {
	h := sim.Handler{
		Kind:   rapid.SampledFrom(sim.HandlerKinds()).Draw(t, "kind"),
		Weight: rapid.IntRange(1, 1_000_000).Draw(t, "weight"),
		Work:   drawDistribution(t),
	}
	switch h.Kind {
	case sim.Checkpoint, sim.Chatty, sim.Polling:
		h.Every = sim.Fixed(time.Minute + drawTime(t, "every"))
	case sim.Instant:
		h.Work = sim.Distribution{}
	case sim.SlowCleanup:
		h.Cleanup = sim.Fixed(1 + drawTime(t, "cleanup"))
	case sim.Asking:
		h.Asks = sim.Question{Kind: "roots/list"}
		if rapid.Bool().Draw(t, "takes time") {
			h.Asks = sim.Question{Kind: "sampling/createMessage", Handler: rapid.SampledFrom([]string{"cooperative", "stubborn"}).Draw(t, "answered by"),
				Work: sim.Fixed(1 + drawTime(t, "answer"))}
		}
	}
	return h
}

func drawLink(t *rapid.T) sim.Link {
	l := sim.Link{
		Delay:     drawDistribution(t),
		Bandwidth: 8 * rapid.Int64Range(0, 1e9).Draw(t, "bandwidth"),
		Buffer:    rapid.Int64Range(1<<10, 1<<30).Draw(t, "buffer"),
		Coalesce:  drawDistribution(t),
	}
	if rapid.Bool().Draw(t, "correlated") {
		l.Correlation = rapid.Float64Range(0.001, 0.99).Draw(t, "correlation")
		l.CorrelationTime = time.Millisecond + drawTime(t, "correlation time")
	}
	if rapid.Bool().Draw(t, "stalling") {
		l.Stall = netem.Stall{Every: sim.Fixed(time.Minute + drawTime(t, "every")), For: sim.Fixed(1 + drawTime(t, "for"))}
	}
	if rapid.Bool().Draw(t, "in pieces") {
		l.Split = netem.Split{Pieces: rapid.IntRange(2, 9).Draw(t, "pieces"), Gap: sim.Fixed(drawTime(t, "gap"))}
	}
	return l
}

// drawTime is at most half an hour, in every order of magnitude.
func drawTime(t *rapid.T, label string) time.Duration {
	unit := rapid.SampledFrom([]time.Duration{1, time.Microsecond, time.Millisecond, time.Second}).Draw(t, label+" unit")
	return unit * time.Duration(rapid.IntRange(0, 1800).Draw(t, label))
}

func drawDistribution(t *rapid.T) sim.Distribution {
	a, b := drawTime(t, "a"), drawTime(t, "b")
	switch rapid.IntRange(0, 6).Draw(t, "distribution") {
	case 1:
		return sim.Distribution{Distribution: netem.Uniform, Min: min(a, b), Max: max(a, b)}
	case 2:
		return sim.Distribution{Distribution: netem.Normal, Mean: a, StdDev: b}
	case 3:
		return sim.Distribution{Distribution: netem.Exponential, Offset: a, Mean: b + 1}
	case 4:
		return sim.Distribution{Distribution: netem.Exponential, Offset: a, Mean: b + 1, Cap: a + 1}
	case 5:
		shape := rapid.Float64Range(netem.MinShape, netem.MaxShape).Draw(t, "shape")
		return sim.Distribution{Distribution: netem.Pareto, Scale: a + 1, Shape: shape, Cap: a + b + 1}
	case 6:
		return sim.Distribution{Distribution: netem.Empirical, Samples: &netem.Table{min(a, b), max(a, b)}}
	}
	return sim.Fixed(a)
}

// A tool can ask the client something; how is part of the file's resolved form.
func TestQuestions(t *testing.T) {
	rows := []struct {
		asks string
		want sim.Question
	}{
		{"{kind: elicitation/create, work: 2s}", sim.Question{Kind: "elicitation/create", Handler: "cooperative", Work: sim.Fixed(2 * time.Second)}},
		{"{kind: sampling/createMessage, handler: stubborn, work: 2s}", sim.Question{Kind: "sampling/createMessage", Handler: "stubborn", Work: sim.Fixed(2 * time.Second)}},
		{"{kind: roots/list}", sim.Question{Kind: "roots/list"}},
	}
	for _, row := range rows {
		sc := parse(t, "name: least\nsummary: asks\nhandlers: [{kind: asking, work: 1s, asks: "+row.asks+"}]\n")
		assert.Equal(t, row.want, sc.Handlers[0].Asks)
		assert.Equal(t, sc, parse(t, string(sc.Marshal())))
		assert.GreaterOrEqual(t, sc.Limits.Settle, 3*time.Second, "the client's time counts, too")
	}
}
