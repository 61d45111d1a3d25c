package reference

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// TestReferenceAgainstReference draws small worlds and holds the two strict
// peers to the rules on what the network and the callers saw. Durations are
// whole milliseconds, so that things often happen in one instant.
func TestReferenceAgainstReference(t *testing.T) {
	likeAWorld(t)
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPair(rt)
		synctest.Test(t, p.run)
		for _, breach := range p.breaches() {
			rt.Errorf("%s", breach)
		}
	})
}

// The check above must be able to fail: it convicts the mutants.
func TestThePairCheckBites(t *testing.T) {
	likeAWorld(t)
	for _, m := range Mutants() {
		switch m.defect {
		case leaksOnCancel:
			continue // the bubble itself catches it, and panics
		case heedsToolsOnly:
			continue // these worlds call tools alone
		}
		if m.Scenario != "" && m.Scenario != "shaky-network" {
			continue // the check's pairs end their sessions in other ways and have shorter tools
		}
		t.Run(m.Name, func(t *testing.T) {
			bitten := false
			for seed := 0; seed < 500 && !bitten; seed++ {
				p := rapid.Custom(drawPair).Example(seed)
				if m.Side == history.Client {
					p.client = m.defect
				} else {
					p.server = m.defect
				}
				synctest.Test(t, p.run)
				bitten = len(p.breaches()) > 0
			}
			if !bitten {
				t.Error("no breach in 500 worlds")
			}
		})
	}
}

// likeAWorld takes away what the simulator's virtual time does not have either:
// a second processor and collections in the middle of a step.
func likeAWorld(t *testing.T) {
	procs, percent := runtime.GOMAXPROCS(1), debug.SetGCPercent(-1)
	limit := debug.SetMemoryLimit(512 << 20)
	t.Cleanup(func() {
		runtime.GOMAXPROCS(procs)
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	})
}

// A pair is a drawn world and what was seen of it.
type pair struct {
	version        string
	up, down       direction
	calls          []*drawnCall
	closeAt        time.Duration // 0: after the last call
	client, server defect

	mu    sync.Mutex // guards what follows
	log   []sighting
	start time.Time
}

type direction struct {
	delay  time.Duration
	buffer int // bytes; 0: as many as netem gives
}

type drawnCall struct {
	tool                string
	issue, work, cancel time.Duration // cancel 0: never
	deadline            bool          // cancel is one
	client              int           // over HTTP: whose it is, from 1
	// What came of it.
	value            string
	err              error
	issued, returned time.Duration // since the pair's start
	done             bool
}

// A sighting is a frame at one of the four places where it can be seen.
type sighting struct {
	where string // "client writes", "server reads", "server writes", "client reads", or what a tool does
	m     *history.Message
	call  int
	at    time.Duration

	// Over HTTP:
	client   int    // from 1
	exchange int    // from 1
	id       string // of the event that the frame came in
	note     string // what else there is to say
}

func drawPair(t *rapid.T) *pair {
	ms := func(label string, from, to int) time.Duration {
		return time.Duration(rapid.IntRange(from, to).Draw(t, label)) * time.Millisecond
	}
	direction := func(label string) direction {
		return direction{ms(label+" delay", 0, 5), rapid.SampledFrom([]int{0, 16, 400}).Draw(t, label+" buffer")}
	}
	p := &pair{
		version: rapid.SampledFrom(protocol.Versions()).Draw(t, "version"),
		up:      direction("up"), down: direction("down"),
		closeAt: ms("close", 0, 1) * time.Duration(rapid.IntRange(0, 40).Draw(t, "close at")),
	}
	for range rapid.IntRange(1, 6).Draw(t, "calls") {
		p.calls = append(p.calls, &drawnCall{
			tool:  rapid.SampledFrom([]string{"slow", "stubborn", "chatty"}).Draw(t, "tool"),
			issue: ms("issue", 0, 5), work: ms("work", 0, 10),
			cancel:   ms("cancel", 0, 25) * time.Duration(rapid.IntRange(0, 1).Draw(t, "cancelled")),
			deadline: rapid.Bool().Draw(t, "deadline"),
		})
	}
	return p
}

func (p *pair) see(where string, call int, frame []byte) {
	s := sighting{where: where, call: call, at: time.Since(p.start)}
	if frame != nil {
		s.m = protocol.Identify(frame)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = append(p.log, s)
}

func (p *pair) rig(d direction, writer, reader string) netem.Rig {
	return netem.Rig{
		Travel: func(netem.Segment) netem.Travel { return netem.Travel{Delay: d.delay} },
		Tap: netem.Tap{
			Write: func(f *netem.Frame) { p.see(writer+" writes", 0, f.Bytes) },
			Read:  func(f *netem.Frame) { p.see(reader+" reads", 0, f.Bytes) },
		},
	}
}

func (p *pair) run(t *testing.T) {
	p.start = time.Now()
	ours, theirs := netem.NewPair(netem.PairConfig{
		Profile: netem.Profile{Up: netem.Direction{Buffer: p.up.buffer}, Down: netem.Direction{Buffer: p.down.buffer}},
		Up:      p.rig(p.up, "client", "server"),
		Down:    p.rig(p.down, "server", "client"),
	})
	var told sync.WaitGroup
	defer told.Wait()
	server := newServer(sim.ServerEnv{SpecVersion: p.version, Tools: p.tools()}, p.server)
	told.Go(func() {
		if err := server.Serve(context.Background(), sim.Conn{In: theirs.In, Out: theirs.Out}); err != nil {
			p.see("server fails: "+err.Error(), 0, nil)
		}
	})
	client := newClient(sim.ClientEnv{SpecVersion: p.version}, p.client)
	if err := client.Connect(context.Background(), sim.Conn{In: ours.In, Out: ours.Out}); err != nil {
		t.Error(err)
		return
	}
	var callers sync.WaitGroup
	for i, c := range p.calls {
		callers.Go(func() { p.makeCall(client, i+1, c) })
	}
	if p.closeAt > 0 {
		time.Sleep(p.closeAt)
	} else {
		time.Sleep(time.Second) // longer than any call
		if err := client.Probe(context.Background()); err != nil {
			p.see("probe fails: "+err.Error(), 0, nil)
		}
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	callers.Wait()
}

func (p *pair) makeCall(client *client, number int, c *drawnCall) {
	time.Sleep(c.issue)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.issued = time.Since(p.start)
	switch {
	case c.cancel > 0 && c.deadline:
		ctx, cancel = context.WithTimeout(ctx, c.cancel)
		defer cancel()
	case c.cancel > 0:
		defer time.AfterFunc(c.cancel, cancel).Stop()
	}
	c.value, c.err = client.Call(ctx, sim.Request{
		Method: protocol.ToolsCall, Name: c.tool, Arguments: json.RawMessage(fmt.Sprintf(`{"call":%d}`, number)), Progress: int64(number),
	})
	c.returned, c.done = time.Since(p.start), true
	p.see("caller returns", number, nil)
}

// tools do what the drawn call says. Chatty reports every millisecond and does
// not mind when it is told to stop, nor when nobody listens.
func (p *pair) tools() []sim.Tool {
	tool := func(name string, body func(ctx context.Context, d time.Duration, progress func(float64) error) error) sim.Tool {
		return sim.Tool{Name: name, Run: func(ctx context.Context, args json.RawMessage, progress func(float64) error) (string, error) {
			var a struct{ Call int }
			if err := json.Unmarshal(args, &a); err != nil {
				return "", err
			}
			p.see("tool starts", a.Call, nil)
			defer context.AfterFunc(ctx, func() { p.see("tool is told", a.Call, nil) })()
			err := body(ctx, p.calls[a.Call-1].work, progress)
			p.see("tool ends", a.Call, nil)
			return fmt.Sprintf("value %d", a.Call), err
		}}
	}
	return []sim.Tool{
		tool("slow", func(ctx context.Context, d time.Duration, _ func(float64) error) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(d):
				return nil
			}
		}),
		tool("stubborn", func(_ context.Context, d time.Duration, _ func(float64) error) error {
			time.Sleep(d)
			return nil
		}),
		tool("chatty", func(_ context.Context, d time.Duration, progress func(float64) error) error {
			for figure := 1.0; d > 0; figure, d = figure+1, d-time.Millisecond {
				time.Sleep(time.Millisecond)
				if err := progress(figure); err != nil && !errors.Is(err, errClosed) {
					return err
				}
			}
			return nil
		}),
	}
}
