package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/history"
)

func newDoctor() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check that this machine can run worlds in virtual time, and that seeds repeat",
		Long: `Doctor builds the worker, lets a virtual hour pass, and runs seeds twice, each
time in a process of its own. Each line says what was checked, what was found, and
what to do about it.`,
		GroupID: groupSetup,
		Example: "  mcpsim doctor",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &doctor{stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr()}
			return d.run(cmd.Context())
		},
	}
}

type doctor struct {
	stdout, stderr io.Writer
	worker         engine.Worker
	sick           bool
	lost           error // the first line that could not be printed
}

func (d *doctor) run(ctx context.Context) error {
	d.say("ok", "platform", "%s/%s, %d processors, mcpsim %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), programVersion())
	worker, err := engine.Build(ctx, engine.Recipe{}, func(line string) { fmt.Fprintln(d.stderr, line) })
	if err != nil {
		d.say("FAILED", "worker", "%v", err)
		return d.end()
	}
	d.worker = worker
	d.say("ok", "worker", "built with %s in %.1f s from %s", worker.Go, worker.Elapsed.Seconds(), worker.Source)
	if worker.Seeded {
		d.say("ok", "chance", "select, map order, random numbers and the scheduler follow the seed")
	} else {
		d.say("FAILED", "chance", "%s; use a Go release that this mcpsim knows (1.26 or 1.27)", worker.Caveat)
	}
	d.hour(ctx)
	d.twice(ctx)
	return d.end()
}

func (d *doctor) say(state, what, format string, args ...any) {
	d.sick = d.sick || state == "FAILED"
	d.print(fmt.Sprintf("%-6s  %-8s  %s", state, what, fmt.Sprintf(format, args...)))
}

func (d *doctor) print(line string) {
	if _, err := fmt.Fprintln(d.stdout, line); err != nil && d.lost == nil {
		d.lost = fmt.Errorf("print the answers: %w", err)
	}
}

func (d *doctor) end() error {
	if d.sick {
		d.print("exit 3 (something above has to be mended first)")
		return &exitError{code: exitFailed, err: d.lost}
	}
	d.print("exit 0 (this machine can run worlds in virtual time, and seeds repeat)")
	if d.lost != nil {
		return failed(d.lost)
	}
	return nil
}

// world runs one world of cancel-storm in a process of its own.
func (d *doctor) world(ctx context.Context, seed uint64) (*history.History, error) {
	c := choice{specVersions: []string{"2025-11-25"}}
	e, err := c.load("cancel-storm")
	if err != nil {
		return nil, err
	}
	return e.runOne(ctx, d.worker, seed)
}

// hour checks that an hour of virtual time passes quickly: every world ends with
// one, when what is left of its timers fires.
func (d *doctor) hour(ctx context.Context) {
	start := time.Now()
	if _, err := d.world(ctx, 0); err != nil {
		d.say("FAILED", "clock", "%v", err)
		return
	}
	state, took := "ok", time.Since(start)
	if took > time.Second {
		state = "SLOW"
	}
	d.say(state, "clock", "a world and a virtual hour passed in %s", took.Round(time.Millisecond))
}

const twiceSeeds = 20

func (d *doctor) twice(ctx context.Context) {
	same := 0
	for seed := range uint64(twiceSeeds) {
		a, err := d.world(ctx, seed)
		if err != nil {
			d.say("FAILED", "seeds", "%v", err)
			return
		}
		b, err := d.world(ctx, seed)
		if err != nil {
			d.say("FAILED", "seeds", "%v", err)
			return
		}
		if history.Digest(a.Events) == history.Digest(b.Events) {
			same++
		}
	}
	state := "ok"
	if same < twiceSeeds {
		state = "FAILED"
	}
	d.say(state, "seeds", "%d of %d seeds gave the same history in two processes each", same, twiceSeeds)
}
