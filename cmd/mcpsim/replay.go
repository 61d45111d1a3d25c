package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/lease"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A replayCommand is mcpsim replay.
type replayCommand struct {
	choice
	seed        string
	specVersion string
	digest      string
	rule        string
	call        int
	clientNo    int
	all         bool
	wire        bool
	ascii       bool

	stdout, stderr io.Writer
}

func newReplay() *cobra.Command {
	r := &replayCommand{}
	cmd := &cobra.Command{
		Use:   "replay SCENARIO|FILE --seed N | replay RESULTDIR FINDING",
		Short: "Run one world again, compare it with what was recorded, and print what happened",
		Long: `Replay answers two questions apart: is the history the recorded one, and is the
finding still there. Then it prints the conversation, time running down, the
client on the left and the server on the right.

With a result directory and a finding's number everything else is read from there;
--client and --server may name what the finding is to be tried on. The side that is
not named stays as it was recorded; where it is of the same module as the one that is,
it cannot, since a process holds one version of a module, and a line on standard error
says so. latest stands for the newest result under results/.

With a scenario and a seed, the world is run twice to see that the seed gives the same
history, and every broken rule counts as a finding. A side that names no version then
takes the one that the other side names.

Exit 1 while the finding is there, or has changed: its side breaks its rule for
another cause, as after a fix that only moves a crash to another function. 0 when it
is gone: the rule was exercised and held. 3: the experiment failed. 4: not tested,
since the rule was not exercised in that world, or not decided; a world that breaks
off too early has shown nothing.`,
		GroupID: groupTest,
		Example: `  mcpsim replay cancel-storm --seed 12 --spec-version 2026-07-28
  mcpsim replay results/cancel-storm/latest F1
  mcpsim replay latest F1
  mcpsim replay cancel-storm --seed 12 --all --wire
  mcpsim replay connect-storm --seed 0 --client-number 17`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.stdout, r.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return r.run(cmd.Context(), args)
		},
	}
	r.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&r.seed, "seed", "", "the seed, `N`")
	f.StringVar(&r.specVersion, "spec-version", "", "protocol version, `DATE` (default: the newest that both sides speak)")
	f.StringVar(&r.digest, "digest", "", "history to compare with, `HEX`, as a finding's page prints it")
	f.StringVar(&r.rule, "rule", "", "only this rule, `ID`, counts as the finding")
	f.IntVar(&r.call, "call", 0, "show this call (default: the finding's)")
	f.IntVar(&r.clientNo, "client-number", 0, "of several clients, show this one's calls, `N` (default: the finding's client)")
	f.BoolVar(&r.all, "all", false, "show every call, of every client")
	f.BoolVar(&r.wire, "wire", false, "show the JSON of every frame, cut at the width; histories/ has it whole")
	f.BoolVar(&r.ascii, "ascii", !utf8Locale(), "print ASCII only (default: unless the locale is UTF-8)")
	return cmd
}

// A recorded world is what a replay is compared with. Its zero value is no world.
type recorded struct {
	digest  string
	history *history.History // nil when it was not kept
	finding string           // "F1", as it was typed: among all scenarios' findings it may be another number than its own
	side    history.Side     // that it is about; empty: either
	cause   string           // that it has; empty: any
	call    int              // of its example; 0: none of its own
	peers   [2]history.Peer  // client and server of the record
	kept    [2]bool          // client and server that nobody named anew, and that are to be as recorded
}

func (r *replayCommand) run(ctx context.Context, args []string) error {
	if err := r.check(); err != nil {
		return usage(err)
	}
	e, rec, err := r.prepare(args)
	if err != nil {
		return err
	}
	if n := e.scenario.Load.Total(); r.call < 0 || r.call > n {
		return usage(fmt.Errorf("--call %d: a world of %s has the calls 1 to %d", r.call, e.scenario.Name, n))
	}
	if err := r.checkClient(e.scenario); err != nil {
		return usage(err)
	}
	seed, err := oneSeed("--seed", r.seed)
	if err != nil {
		return usage(err)
	}
	worker, err := e.build(ctx, r.stderr)
	if err != nil {
		return err
	}
	for _, line := range rec.moved(e) {
		fmt.Fprintln(r.stderr, line)
	}
	runOnce := func() (*history.History, error) { return e.runOne(ctx, worker, seed) }
	h, sameness, err := r.play(runOnce, rec)
	if err != nil {
		return failed(err)
	}
	return r.print(h, sameness, rec)
}

// play runs the world, twice where there is no record, and says whether it is the same.
func (r *replayCommand) play(runOnce func() (*history.History, error), rec recorded) (*history.History, string, error) {
	alive := startSign(r.stderr, "the world is running")
	defer alive.stop()
	h, err := runOnce()
	if err != nil {
		return nil, "", err
	}
	if rec.digest != "" {
		return h, r.compareRecord(h, rec), nil
	}
	again, err := runOnce()
	if err != nil {
		return nil, "", err
	}
	return h, r.compareRuns(h, again), nil
}

// checkClient refuses the number of a client that the scenario does not have.
func (r *replayCommand) checkClient(s *sim.Scenario) error {
	n := max(s.Load.Clients, 1)
	switch {
	case r.clientNo == 0:
	case r.call != 0:
		return errors.New("--client-number and --call: a call is of one client; leave one of the flags out")
	case n == 1:
		return fmt.Errorf("--client-number %d: a world of %s has one client; leave the flag out", r.clientNo, s.Name)
	case r.clientNo < 1 || r.clientNo > n:
		return fmt.Errorf("--client-number %d: a world of %s has the clients 1 to %d", r.clientNo, s.Name, n)
	}
	return nil
}

// moved says, a line each, which side is not as it was recorded although nobody named it:
// one that is of the same module as the side that was.
func (rec recorded) moved(e *experiment) []string {
	var out []string
	sides := [2]string{"client", "server"}
	for i, p := range [2]lease.Player{e.client, e.server} {
		if now := peerOf(p); rec.kept[i] && now != rec.peers[i] {
			out = append(out, fmt.Sprintf("note: the %s is %s too, not %s as recorded: a process holds one version of a module; --%s reference keeps that side out of it",
				sides[i], label(p), analysis.Manifest{}.Typed(rec.peers[i]), sides[i]))
		}
	}
	return out
}

// check refuses flags that cannot be meant: a misspelt rule would be "gone".
func (r *replayCommand) check() error {
	if r.rule != "" && !slices.ContainsFunc(oracle.Rules(), func(rule oracle.Rule) bool { return rule.ID == r.rule }) {
		return fmt.Errorf("--rule %q: there is no such rule; %s", r.rule, ruleCure(r.rule))
	}
	if r.specVersion == allVersions {
		return errors.New("--spec-version all: a replay is of one world; name one version")
	}
	if _, err := hex.DecodeString(r.digest); err != nil || r.digest != "" && len(r.digest) != 16 {
		return fmt.Errorf("--digest %q: it is the 16 hex digits that a finding's page or a replay prints", r.digest)
	}
	return nil
}

// prepare decides what to run, from a result directory and a finding or from the
// flags.
func (r *replayCommand) prepare(args []string) (*experiment, recorded, error) {
	if len(args) == 2 {
		return r.fromResult(args[0], args[1])
	}
	if r.seed == "" {
		return nil, recorded{}, usage(errors.New("which world? name it with --seed N, or name a result directory and a finding: mcpsim replay RESULTDIR F1"))
	}
	if r.specVersion != "" {
		r.specVersion = protocol.Named(r.specVersion)
		r.specVersions = []string{r.specVersion}
	}
	e, err := r.load(args[0])
	if err != nil {
		return nil, recorded{}, err
	}
	return e, recorded{digest: r.digest}, nil
}

// fromResult fills the flags in from a finding.
func (r *replayCommand) fromResult(dir, id string) (*experiment, recorded, error) {
	result, err := openResult([]string{dir})
	if err != nil {
		return nil, recorded{}, usage(err)
	}
	typed := strings.ToUpper(id)
	if result, id, err = among(result, id); err != nil {
		return nil, recorded{}, usage(err)
	}
	dir = result.Path
	summary, err := result.Summary()
	if err != nil {
		return nil, recorded{}, usage(err)
	}
	finding, err := findingOf(summary, id)
	if err != nil {
		return nil, recorded{}, usage(fmt.Errorf("%s: %w", dir, err))
	}
	m := result.Manifest
	kept := [2]bool{r.client == "", r.server == ""}
	r.client, r.server = seats(m, r.client, r.server)
	if r.transport == "" {
		r.transport = m.Flags["transport"]
	}
	if r.scheduler == "" {
		r.scheduler = m.Flags["scheduler"]
	}
	if r.schedulerSeed == "" {
		r.schedulerSeed = m.Flags["scheduler-seed"]
	}
	if given := m.Flags["budget"]; given != "" && len(r.budgets) == 0 {
		r.budgets = strings.Split(given, ",")
	}
	if r.seed == "" {
		r.seed = strconv.FormatUint(finding.ExampleSeed, 10)
	}
	if r.specVersion == "" {
		r.specVersion = finding.SpecVersion
	}
	r.specVersion = protocol.Named(r.specVersion)
	r.specVersions, r.rule = []string{r.specVersion}, finding.Rule
	data, err := result.Scenario()
	if err != nil {
		return nil, recorded{}, usage(err)
	}
	scenario, err := sim.Parse(dir+"/"+analysis.ScenarioFile, data)
	if err != nil {
		return nil, recorded{}, usage(err)
	}
	if scenario.Hash() != m.ScenarioSHA256 {
		return nil, recorded{}, usage(fmt.Errorf("%s/%s is not the scenario that was run: its sha256 is not the manifest's; run it by its own name", dir, analysis.ScenarioFile))
	}
	e, err := r.decide(m.Scenario, scenario)
	if err != nil {
		return nil, recorded{}, err
	}
	rec, err := r.record(result, m, finding)
	rec.finding, rec.kept = typed, kept
	return e, rec, err
}

// seats fills in who sat where. A side that nobody was named for comes from the
// same place as the other one if it is the same implementation.
func seats(m analysis.Manifest, client, server string) (string, string) {
	fill := func(asked, other string, recorded history.Peer) string {
		from := sim.ReadTyped(other)
		switch {
		case asked != "":
			return asked
		case from.Pinned && from.Name == recorded.Name():
			return recorded.Target
		}
		return m.Typed(recorded)
	}
	return fill(client, server, m.Client), fill(server, client, m.Server)
}

func findingOf(s analysis.Summary, id string) (analysis.Finding, error) {
	var ids []string
	for _, f := range s.Findings {
		if strings.EqualFold(f.ID, id) {
			return f, nil
		}
		ids = append(ids, f.ID)
	}
	if len(ids) == 0 {
		return analysis.Finding{}, fmt.Errorf("there is no finding %s; the run found nothing", id)
	}
	return analysis.Finding{}, fmt.Errorf("there is no finding %s; there are %s", id, strings.Join(ids, ", "))
}

func (r *replayCommand) record(result *analysis.Run, m analysis.Manifest, f analysis.Finding) (recorded, error) {
	seed, err := oneSeed("--seed", r.seed)
	if err != nil {
		return recorded{}, usage(err)
	}
	k := analysis.HistoryKey{SpecVersion: r.specVersion, Seed: seed}
	rec := recorded{side: f.Side, cause: f.Cause, call: f.Example.Call, peers: [2]history.Peer{m.Client, m.Server}}
	line, found, err := result.World(analysis.ArmTarget, k)
	if err != nil {
		return recorded{}, usage(err)
	}
	if found {
		rec.digest = line.Digest
	}
	encoded, kept, err := result.History(k)
	if err != nil {
		return recorded{}, usage(err)
	}
	if kept {
		if rec.history, err = history.Decode(strings.NewReader(string(encoded))); err != nil {
			return recorded{}, usage(err)
		}
		h := rec.history
		if h.Header.Seed != seed || h.Header.SpecVersion != r.specVersion || found && history.Digest(h.Events) != line.Digest {
			return recorded{}, usage(fmt.Errorf("the kept history of seed %d at %s is another world's, or was changed; delete it to replay without it", seed, r.specVersion))
		}
	}
	return rec, nil
}

// runOne runs one world and returns its history.
func (e *experiment) runOne(ctx context.Context, worker engine.Worker, seed uint64) (*history.History, error) {
	pool := engine.Pool{Worker: worker, Setup: e.setup([]lease.Pair{e.tested()}), Jobs: 1, CPULimit: e.cpuLimit()}
	out, err := pool.RunOne(ctx, lease.Lease{
		SpecVersion: e.specVersions[len(e.specVersions)-1], Seed: seed, SchedulerSeed: e.schedulerSeed, Keep: true,
	})
	if err != nil {
		return nil, err
	}
	encoded, _, err := e.rerun(out)
	if err != nil {
		return nil, err
	}
	return history.Decode(bytes.NewReader(encoded))
}

func (r *replayCommand) compareRuns(a, b *history.History) string {
	digest := history.Digest(a.Events)
	if digest == history.Digest(b.Events) {
		return fmt.Sprintf("history %s: the same when it was run twice", digest)
	}
	return fmt.Sprintf("history %s: NOT the same when it was run twice (first at event %d); mcpsim doctor may say why",
		digest, history.FirstDifference(a.Events, b.Events))
}

func (r *replayCommand) compareRecord(h *history.History, rec recorded) string {
	digest := history.Digest(h.Events)
	if digest == rec.digest {
		return fmt.Sprintf("history %s: identical to the recorded one", digest)
	}
	line := fmt.Sprintf("history %s: differs from the recorded one, %s", digest, rec.digest)
	if rec.peers != [2]history.Peer{} && rec.peers != [2]history.Peer{h.Header.Client, h.Header.Server} {
		line += ", as expected of other targets"
	}
	if rec.history != nil {
		line += fmt.Sprintf(" (first at event %d)", history.FirstDifference(rec.history.Events, h.Events))
	}
	return line
}
