package main

import (
	"bytes"
	"errors"
	"fmt"
	"github.com/segmentio/encoding/json"
	"io"
	"strings"
	"time"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/lease"
)

// cpuLimit is how much processor time one world may use before it counts as a
// busy loop: far more than any world of that size needs.
func (e *experiment) cpuLimit() time.Duration {
	return 30*time.Second + time.Duration(e.scenario.Load.Total())*5*time.Millisecond
}

// judged returns the judged world of an outcome. A world that killed its worker
// twice is judged by the history that got out before, with the crash as its last
// event.
func (e *experiment) judged(out engine.Outcome, pair lease.Pair) (analysis.World, error) {
	if out.Death != nil && out.Death.Recurred {
		h, err := e.lastWords(out, pair)
		if err != nil {
			return analysis.World{}, err
		}
		return analysis.Observe(analysis.Arm(pair.Arm), h), nil
	}
	if out.Reply.Error != "" {
		return analysis.World{}, errors.New(out.Reply.Error)
	}
	var w analysis.World
	if err := json.Unmarshal(out.Reply.World, &w); err != nil {
		return analysis.World{}, fmt.Errorf("seed %d: read the worker's reply: %w", out.Lease.Seed, err)
	}
	return w, nil
}

// lastWords puts together the history of a world that killed its worker.
func (e *experiment) lastWords(out engine.Outcome, pair lease.Pair) (*history.History, error) {
	d := out.Death
	h, err := partialHistory(bytes.Join(d.Events, nil))
	if err != nil {
		return nil, fmt.Errorf("seed %d: the worker died (%s) before its world began: %w\n%s",
			out.Lease.Seed, d.Headline(), err, d.Report)
	}
	at := time.Duration(0)
	if n := len(h.Events); n > 0 {
		at = h.Events[n-1].At
	}
	h.Events = append(h.Events, history.Event{
		Seq: len(h.Events), At: at, Side: history.World, Kind: history.Crash,
		Text: strings.Join(append([]string{d.Headline()}, stable(d.Stack())...), "\n"), Blame: e.blame(*d, pair),
	})
	return h, nil
}

// stable takes from a stack what differs from run to run: goroutines' numbers,
// arguments and addresses.
func stable(stack []string) []string {
	out := make([]string, len(stack))
	for i, line := range stack {
		place, isPlace := strings.CutPrefix(line, "\t")
		head, state, isHead := strings.Cut(line, " [")
		switch {
		case isPlace:
			place, _, _ = strings.Cut(place, " +0x")
			line = "\t" + place
		case isHead && strings.HasPrefix(head, "goroutine "):
			line = "goroutine [" + state
		case strings.HasPrefix(line, "created by "):
			line, _, _ = strings.Cut(line, " in goroutine ")
		case strings.HasSuffix(line, ")"):
			line = line[:strings.LastIndexByte(line, '(')]
		}
		out[i] = line
	}
	return out
}

// partialHistory reads the events that got out before the end.
func partialHistory(encoded []byte) (*history.History, error) {
	dec, err := history.NewDecoder(bytes.NewReader(encoded))
	if err != nil {
		return nil, err
	}
	h := &history.History{Header: dec.Header()}
	for {
		e, err := dec.Next()
		if errors.Is(err, history.ErrCut) || err == io.EOF {
			return h, nil // where it broke off is where the worker died
		}
		if err != nil {
			return nil, err
		}
		h.Events = append(h.Events, e)
	}
}

// blame says whose code died: the first target whose package the stack names
// before it names any other code of ours. A worker that ended without a stack
// accuses nobody.
func (e *experiment) blame(d engine.Death, pair lease.Pair) string {
	client, server := d.Names(e.packageOf(pair.Client)), d.Names(e.packageOf(pair.Server))
	switch {
	case client && server:
		return "pair"
	case client:
		return "client"
	case server:
		return "server"
	case d.Names(toolCode):
		return "tool"
	}
	return ""
}

// toolCode is how the names of functions begin that are the scenario's own tools.
const toolCode = "github.com/mcpsim/mcpsim/sim.(*handler)"

// packageOf is where a target's code lives.
func (e *experiment) packageOf(typed string) string {
	return e.player(sim.ReadTyped(typed).Name).Package
}
