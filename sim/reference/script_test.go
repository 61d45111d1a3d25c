package reference

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim"
)

// A conversation is a script: what a raw peer says and must hear, frame by
// frame, and what the application on our side does meanwhile. Times are those of
// the bubble that it runs in.
type conversation struct {
	why   string
	steps []step
}

// A step is one line of a script. It fails the test when it does not come out.
type step func(t *testing.T, s *stage)

// A stage is what a script plays on.
type stage struct {
	out      *netem.Writer // the raw peer's
	in       *netem.Reader
	lines    chan string // what the raw peer hears; closed at the end of the stream
	client   *client     // when our side is a client
	server   *server     // when it is a server
	calls    map[string]*scriptCall
	ended    chan error // result of Serve or Close
	conn     sim.Conn   // our side's
	stopServ context.CancelFunc
	told     atomic.Int64 // how often the slow tool was told to stop
	start    time.Time
	stalled  atomic.Int64 // until when the network takes nothing from our side, since start

	door *rawDoor  // when the raw peer is a client over HTTP
	site *fakeSite // when it is a server over HTTP
}

type scriptCall struct {
	cancel context.CancelFunc
	value  string
	err    error
	done   chan struct{}
}

// patience is how long a step waits for what must come.
const patience = time.Hour

// send has the raw peer write a frame.
func send(frame string) step { return sendRaw(frame + "\n") }

// sendRaw has it write bytes.
func sendRaw(bytes string) step {
	return func(t *testing.T, s *stage) {
		_, err := s.out.Write([]byte(bytes))
		require.NoError(t, err, "write %.100q", bytes)
		synctest.Wait()
	}
}

// hear has the raw peer wait for exactly this frame.
func hear(frame string) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		line, ok := s.next()
		require.True(t, ok, "nothing was heard, want %s", frame)
		require.Equal(t, frame, line)
	}
}

// hearBoth has it wait for two frames that are written in one instant, in any order.
func hearBoth(one, other string) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		first, _ := s.next()
		second, _ := s.next()
		require.ElementsMatch(t, []string{one, other}, []string{first, second})
	}
}

func (s *stage) next() (string, bool) {
	select {
	case line, ok := <-s.lines:
		return line, ok
	case <-time.After(patience):
		return "", false
	}
}

// silence lets time pass in which the raw peer must hear nothing.
func silence(d time.Duration) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		select {
		case line, ok := <-s.lines:
			if ok {
				require.Failf(t, "heard a frame", "%s", line)
			}
			require.Fail(t, "the stream ended")
		case <-time.After(d):
		}
	}
}

// told says how often the slow tool has been told to stop so far, counting what
// was sent in this instant.
func told(n int) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		time.Sleep(time.Microsecond)
		require.EqualValues(t, n, s.told.Load(), "handlers told to stop")
	}
}

// toldOr allows one more, which may have been spared its start in that instant.
func toldOr(n int) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		time.Sleep(time.Microsecond)
		require.Contains(t, []int64{int64(n), int64(n) + 1}, s.told.Load(), "handlers told to stop")
	}
}

// stall has the network take nothing from our side for a while.
func stall(d time.Duration) step {
	return func(_ *testing.T, s *stage) { s.stalled.Store(int64(time.Since(s.start) + d)) }
}

// hangUp has the raw peer close its writing end.
func hangUp() step {
	return func(t *testing.T, s *stage) { require.NoError(t, s.out.Close()) }
}

// heardEnd has the raw peer wait for the end of the stream.
func heardEnd() step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		line, ok := s.next()
		require.False(t, ok, "heard %s, want the end of the stream", line)
	}
}

// heardEndOr has it wait for the end, in front of which the frame may come: both are
// our side's in one instant.
func heardEndOr(frame string) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		line, ok := s.next()
		if line == frame {
			line, ok = s.next()
		}
		require.False(t, ok, "heard %s, want the end of the stream", line)
	}
}

// over waits for our side to end, with an error that contains text; "" is none.
func over(text string) step {
	return func(t *testing.T, s *stage) {
		t.Helper()
		select {
		case err := <-s.ended:
			assertError(t, text, err)
		case <-time.After(patience):
			require.Fail(t, "our side does not end")
		}
	}
}

func assertError(t *testing.T, text string, err error) {
	t.Helper()
	if text == "" {
		assert.NoError(t, err)
	} else {
		assert.ErrorContains(t, err, text)
	}
}

// newStage makes the two ends and listens at the raw peer's.
func newStage() *stage {
	s := &stage{lines: make(chan string, 100), calls: map[string]*scriptCall{}, ended: make(chan error, 1), start: time.Now()}
	ours, raw := netem.NewPair(netem.PairConfig{Epoch: s.start, Up: netem.Rig{
		Stall: func(time.Duration) time.Duration { return time.Duration(s.stalled.Load()) },
	}})
	s.out, s.in, s.conn = raw.Out, raw.In, sim.Conn{In: ours.In, Out: ours.Out}
	go func() {
		defer close(s.lines)
		scanner := bufio.NewScanner(raw.In)
		for scanner.Scan() {
			s.lines <- scanner.Text()
		}
	}()
	return s
}

func (s *stage) leave(t *testing.T) {
	require.NoError(t, s.out.Close())
	require.NoError(t, s.in.Close())
}

// playServer runs a conversation against a server with the test's tools.
func playServer(t *testing.T, version string, d defect, c conversation) {
	t.Helper()
	playServerIn(t, sim.ServerEnv{SpecVersion: version}, d, c)
}

// playUnruly is playServer with the strict one, which does mischief with every
// request of the client's but the first, which opens the session.
func playUnruly(t *testing.T, version string, kinds []string, c conversation) {
	t.Helper()
	requests := 0
	playServerIn(t, sim.ServerEnv{SpecVersion: version, Mischief: func(int) ([]string, bool) {
		if requests++; requests == 1 {
			return nil, false
		}
		return kinds, true
	}}, none, c)
}

func playServerIn(t *testing.T, env sim.ServerEnv, d defect, c conversation) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newStage()
		env.Tools = testTools(&s.told)
		server := newServer(env, d)
		s.server = server
		ctx, cancel := context.WithCancel(t.Context())
		s.stopServ = cancel
		served := make(chan struct{})
		go func() {
			defer close(served)
			s.ended <- server.Serve(ctx, s.conn)
		}()
		defer func() { // also when a step has failed
			cancel()
			close(server.parked)
			<-served
			s.leave(t)
		}()
		for _, step := range c.steps {
			step(t, s)
		}
	})
}

// testTools are cooperative ("slow"), deaf ("stubborn"), deaf and talkative
// ("chatty"), "counts", which returns ms at once, "broken" and one whose progress
// goes "backwards". They work for ms milliseconds. told counts how often slow was told to stop.
func testTools(told *atomic.Int64) []sim.Tool {
	type arguments struct{ MS int }
	work := func(raw json.RawMessage) time.Duration {
		var a arguments
		if err := json.Unmarshal(raw, &a); err != nil {
			panic(err)
		}
		return time.Duration(a.MS) * time.Millisecond
	}
	return []sim.Tool{
		{Name: "slow", Run: func(ctx context.Context, args json.RawMessage, _ func(float64) error) (string, error) {
			select {
			case <-ctx.Done():
				told.Add(1)
				return "", ctx.Err()
			case <-time.After(work(args)):
				return "done", nil
			}
		}},
		{Name: "stubborn", Run: func(_ context.Context, args json.RawMessage, _ func(float64) error) (string, error) {
			time.Sleep(work(args))
			return "done", nil
		}},
		{Name: "chatty", Run: func(ctx context.Context, args json.RawMessage, progress func(float64) error) (string, error) {
			for figure := 1.0; figure <= 3; figure++ {
				time.Sleep(work(args))
				if err := progress(figure); err != nil && ctx.Err() == nil {
					return "", err
				}
			}
			return "done", nil
		}},
		{Name: "away", Polling: func(ctx context.Context, args json.RawMessage, progress func(float64) error, dismiss sim.Dismiss) (string, error) {
			for figure := 1.0; figure <= 2; figure++ {
				select {
				case <-ctx.Done():
					told.Add(1)
					return "", ctx.Err()
				case <-time.After(work(args)):
				}
				dismiss(work(args)) // the second time there is nobody to send away, unless the client has come back
				if err := progress(figure); err != nil && ctx.Err() == nil {
					return "", err
				}
			}
			return "done", nil
		}},
		{Name: "counts", Run: func(_ context.Context, args json.RawMessage, _ func(float64) error) (string, error) {
			return strconv.FormatInt(work(args).Milliseconds(), 10), nil
		}},
		{Name: "broken", Run: func(context.Context, json.RawMessage, func(float64) error) (string, error) {
			return "", errors.New("no luck")
		}},
		{Name: "backwards", Run: func(_ context.Context, _ json.RawMessage, progress func(float64) error) (string, error) {
			if err := progress(2); err != nil {
				return "", err
			}
			return "", progress(2)
		}},
	}
}

// fill puts values into a frame that holds $names.
func fill(frame string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(frame) }
