package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/lease"
	"github.com/mcpsim/mcpsim/sim/protocol"
	"github.com/mcpsim/mcpsim/sim/targets"
)

// A choice is what the flags that several verbs share say.
type choice struct {
	client, server string
	transport      string
	specVersions   []string
	scheduler      string
	schedulerSeed  string
	budgets        []string
}

func (c *choice) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.client, "client", "", "target on the client's side, `NAME[+OPTION...][@VERSION|@PATH]` (default: the scenario's)")
	f.StringVar(&c.server, "server", "", "target on the server's side, `NAME[+OPTION...][@VERSION|@PATH]` (default: the scenario's)")
	f.StringVar(&c.transport, "transport", "", "transport to play the scenario over, `stdio|streamable-http|http-sse` (default: the scenario's)")
	f.StringVar(&c.scheduler, "scheduler", "", "order of runnable goroutines, `shuffled|fifo` (default: the scenario's)")
	f.StringVar(&c.schedulerSeed, "scheduler-seed", "", "seed of that order alone, `N` (default: from the seed)")
	budgetFlag(cmd, &c.budgets)
}

// An experiment is a scenario with everything about it decided: who plays, at
// which protocol versions. Where a player comes from elsewhere, that is decided
// when the worker has been built, see [experiment.build].
type experiment struct {
	typed          string // the scenario as it was typed
	scenario       *sim.Scenario
	pinned         []pin
	players        []lease.Player // all who can play
	client, server lease.Player
	asked          []string // protocol versions; empty: all that both sides speak
	specVersions   []string // oldest first, at least one
	schedulerSeed  *uint64
	order          []string // the flags of the transport, of the order of goroutines and of budgets, as far as they were given
	budgets        map[string]time.Duration
}

// load reads the scenario, which is a name of the catalogue or a file, and
// applies the flags. Its errors are usage errors.
func (c *choice) load(typed string) (*experiment, error) {
	scenario, err := readScenario(typed)
	if err != nil {
		return nil, usage(err)
	}
	return c.decide(typed, scenario)
}

// decide applies the flags to a scenario.
func (c *choice) decide(typed string, scenario *sim.Scenario) (*experiment, error) {
	e := &experiment{typed: typed, scenario: scenario, asked: dated(c.specVersions)}
	var err error
	if err := c.applyTransport(e); err != nil {
		return nil, usage(err)
	}
	if c.client != "" {
		e.scenario.Client = c.client
	}
	if c.server != "" {
		e.scenario.Server = c.server
	}
	if err := c.applyScheduler(e); err != nil {
		return nil, usage(err)
	}
	if e.budgets, err = budgets(c.budgets); err != nil {
		return nil, usage(err)
	}
	e.order = append(e.order, budgetWords(e.budgets)...)
	if e.pinned, err = pins(e.scenario.Client, e.scenario.Server); err != nil {
		return nil, usage(err)
	}
	if len(e.pinned) > 0 {
		return e, nil
	}
	return e, e.cast(linkedPlayers())
}

// applyTransport plays the scenario over the transport that was asked for.
func (c *choice) applyTransport(e *experiment) error {
	if c.transport == "" {
		return nil
	}
	if !slices.Contains(sim.Transports(), c.transport) {
		return fmt.Errorf("--transport %q: it is %s", c.transport, strings.Join(sim.Transports(), ", "))
	}
	played, err := e.scenario.Over(c.transport)
	if err != nil {
		return fmt.Errorf("--transport %s: %w", c.transport, err)
	}
	e.scenario = played
	e.order = append(e.order, "--transport", c.transport)
	return nil
}

func (c *choice) applyScheduler(e *experiment) error {
	switch c.scheduler {
	case "":
	case sim.Shuffled, sim.FIFO:
		e.scenario.Scheduler = c.scheduler
		e.order = append(e.order, "--scheduler", c.scheduler)
	default:
		return fmt.Errorf("--scheduler %q: it is %s or %s", c.scheduler, sim.Shuffled, sim.FIFO)
	}
	if c.schedulerSeed == "" {
		return nil
	}
	// All 64 bits: histories name the ones that were derived.
	seed, err := strconv.ParseUint(c.schedulerSeed, 10, 64)
	if err != nil {
		return fmt.Errorf("--scheduler-seed %q: it is a decimal number of at most 64 bits", c.schedulerSeed)
	}
	e.schedulerSeed = &seed
	e.order = append(e.order, "--scheduler-seed", strconv.FormatUint(seed, 10))
	return nil
}

// readScenario takes a name of the catalogue, or a path if it looks like one.
func readScenario(typed string) (*sim.Scenario, error) {
	if !strings.ContainsAny(typed, "/\\.") {
		data, err := scenarioFile(typed)
		if err != nil {
			return nil, err
		}
		return vocabulary().Parse(typed+".yaml", data)
	}
	info, err := os.Stat(typed)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no scenario file %s; mcpsim list scenarios names the catalogue", typed)
	}
	if err != nil {
		return nil, fmt.Errorf("read the scenario: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxScenario {
		return nil, fmt.Errorf("read the scenario %s: it is no file of at most %d bytes", typed, maxScenario)
	}
	data, err := os.ReadFile(typed)
	if err != nil {
		return nil, fmt.Errorf("read the scenario: %w", err)
	}
	return vocabulary().Parse(typed, data)
}

// maxScenario is the size of a file that is read at all, in bytes.
const maxScenario = 4 << 20

// vocabulary is what a scenario may name.
func vocabulary() sim.Vocabulary {
	var v sim.Vocabulary
	for _, t := range targets.All() {
		v.Targets = append(v.Targets, t.Name)
	}
	for _, r := range oracle.Rules() {
		v.Rules = append(v.Rules, r.ID)
	}
	return v
}

// dated replaces the names that versions go by.
func dated(typed []string) []string {
	var out []string
	for _, v := range typed {
		out = append(out, protocol.Named(v))
	}
	return out
}

// allVersions stands for every version that both sides speak.
const allVersions = "all"

// chooseVersions takes what was asked for, or all that the scenario and both
// sides have in common, or else the newest that both sides speak, of those that
// have the transport.
func (e *experiment) chooseVersions() error {
	transport := e.scenario.Transport
	spoken := slices.DeleteFunc(slices.Clone(e.client.SpecVersions), func(v string) bool {
		return !slices.Contains(e.server.SpecVersions, v) || !sim.InVersion(transport, v)
	})
	slices.Sort(spoken)
	if len(spoken) == 0 {
		return fmt.Errorf("there is no spec version with %s that %s and %s both speak", transport, e.client.Name, e.server.Name)
	}
	if slices.Contains(e.asked, allVersions) {
		e.specVersions = spoken
		return nil
	}
	for _, v := range e.asked {
		if !slices.Contains(spoken, v) {
			return fmt.Errorf("--spec-version %s: over %s, %s and %s have in common %s",
				v, transport, e.client.Name, e.server.Name, strings.Join(spoken, ", "))
		}
	}
	e.specVersions = slices.Compact(slices.Sorted(slices.Values(e.asked)))
	if len(e.asked) == 0 {
		e.specVersions = slices.DeleteFunc(slices.Clone(spoken), func(v string) bool {
			return !slices.Contains(e.scenario.SpecVersions, v)
		})
	}
	if len(e.specVersions) == 0 {
		e.specVersions = spoken[len(spoken)-1:]
	}
	return nil
}

// setup is what the workers need to know of the pair under test and of those
// that stand beside it for comparison.
func (e *experiment) setup(pairs []lease.Pair) lease.Setup {
	return lease.Setup{Scenario: e.scenario.Marshal(), Pairs: pairs, Mode: lease.Judge, Budgets: e.budgets}
}

// tested is the pair under test; controls are the pairs beside it, see
// [analysis.Arm].
func (e *experiment) tested() lease.Pair {
	return lease.Pair{Arm: string(analysis.ArmTarget), Client: label(e.client), Server: label(e.server)}
}

func controls() []lease.Pair {
	return []lease.Pair{
		{Arm: string(analysis.ArmReference), Client: "reference", Server: "reference"},
		{Arm: string(analysis.ArmDeaf), Client: "reference", Server: "mutant:ignores-cancel"},
		{Arm: string(analysis.ArmLeaky), Client: "reference", Server: "mutant:leaks-on-cancel"},
	}
}

func peerOf(p lease.Player) history.Peer { return history.Peer{Target: p.Name, Version: p.Version} }
