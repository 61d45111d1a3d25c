package reference

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// inWebAt runs a test in a bubble with a strict server and a strict client of its, at one
// version. The environments' version and transport are filled in.
func inWebAt(t *testing.T, version string, server sim.ServerEnv, client sim.ClientEnv, play func(t *testing.T, w *webWorld, c *client)) {
	t.Helper()
	transport := webVersions()[version]
	synctest.Test(t, func(t *testing.T) {
		server.SpecVersion, server.Transport = version, transport
		client.SpecVersion, client.Transport = version, transport
		w := newWebWorld(server, none)
		defer w.close(t)
		c := newClient(client, none)
		require.NoError(t, c.Connect(context.Background(), w.door()))
		play(t, w, c)
		require.NoError(t, c.Close())
	})
}

// asksSampling is a tool that asks the client at once and returns what it says.
func asksSampling(told chan<- string) sim.Tool {
	return sim.Tool{Name: "curious", Asking: func(ctx context.Context, _ json.RawMessage, _ func(float64) error, ask sim.Ask) (string, error) {
		text, err := ask(ctx, sim.Request{Method: protocol.Sampling, Argument: "what?"})
		if ctx.Err() != nil {
			told <- "tool"
		}
		return text, err
	}}
}

func legacyWeb() []string { return protocol.Versions()[:4] }

// A tool asks the client, by the stream of its call; the answer is posted.
func TestWebNested(t *testing.T) {
	for _, version := range legacyWeb() {
		t.Run(version, func(t *testing.T) {
			told := make(chan string, 2)
			env := sim.ClientEnv{Sample: func(ctx context.Context, what string) (string, error) {
				select {
				case <-ctx.Done():
					told <- "client"
					return "", ctx.Err()
				case <-time.After(time.Second):
					return "to " + what, nil
				}
			}}
			inWebAt(t, version, sim.ServerEnv{Tools: []sim.Tool{asksSampling(told)}}, env, func(t *testing.T, w *webWorld, c *client) {
				value, err := c.Call(t.Context(), callOf("curious", "1", nil))
				require.NoError(t, err)
				require.Equal(t, "to what?", value)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
				defer cancel()
				_, err = c.Call(ctx, callOf("curious", "1", nil))
				require.ErrorIs(t, err, context.DeadlineExceeded)
				synctest.Wait()
				assert.ElementsMatch(t, []string{"tool", "client"}, []string{<-told, <-told})
			})
		})
	}
}

// dismissive is a tool that works for a second, has the client stay away for three, and
// works for another second.
func dismissive(told chan<- time.Duration) sim.Tool {
	return sim.Tool{Name: "dismissive", Polling: func(ctx context.Context, _ json.RawMessage, _ func(float64) error, dismiss sim.Dismiss) (string, error) {
		began := time.Now()
		for range 2 {
			select {
			case <-ctx.Done():
				told <- time.Since(began)
				return "", ctx.Err()
			case <-time.After(time.Second):
			}
			if time.Since(began) == time.Second {
				dismiss(3 * time.Second)
			}
		}
		return "at last", nil
	}}
}

// A client that is sent away comes back when it is told to, and gets the answer then. One
// that gives the call up meanwhile cancels it at once.
func TestWebPolling(t *testing.T) {
	told := make(chan time.Duration, 1)
	inWebAt(t, protocol.V20251125, sim.ServerEnv{Tools: []sim.Tool{dismissive(told)}}, sim.ClientEnv{}, func(t *testing.T, w *webWorld, c *client) {
		began := time.Now()
		value, err := c.Call(t.Context(), callOf("dismissive", "1", nil))
		require.NoError(t, err)
		assert.Equal(t, "at last", value)
		assert.Equal(t, 4*time.Second, time.Since(began))
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		_, err = c.Call(ctx, callOf("dismissive", "1", nil))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 1500*time.Millisecond, <-told)
	})
}

// What a cancelled tool had asked is retracted by the client's own stream, when the
// client has dropped that of the call.
func TestRetractedBesideTheStream(t *testing.T) {
	told := make(chan string, 2)
	env := sim.ClientEnv{Sample: func(ctx context.Context, _ string) (string, error) {
		<-ctx.Done()
		told <- "client"
		return "", ctx.Err()
	}}
	inWebAt(t, protocol.V20251125, sim.ServerEnv{Tools: []sim.Tool{asksSampling(told)}}, env, func(t *testing.T, w *webWorld, c *client) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := c.Call(ctx, callOf("curious", "1", nil))
			done <- err
		}()
		time.Sleep(time.Second)
		c.link.mu.Lock()
		c.link.waiting["2"].abandon()
		c.link.mu.Unlock()
		synctest.Wait()
		cancel()
		<-done
		require.NoError(t, c.link.tell(protocol.AppendCancelled(nil, "2", "")))
		synctest.Wait()
		assert.ElementsMatch(t, []string{"tool", "client"}, []string{<-told, <-told})
	})
}

// Subscriptions of many clients are told of changes, each for itself, and ended by the
// server's stop, or by their clients.
func TestWebListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWebWorld(sim.ServerEnv{SpecVersion: protocol.V20260728, Transport: sim.StreamableHTTP, Changes: true}, none)
		var ended sync.WaitGroup
		counts := make([]int, 3)
		ctx, cancel := context.WithCancel(t.Context())
		for i := range 3 {
			door := w.door()
			door.HTTP.Transport = &countingDoor{door.HTTP.Transport, &counts[i]}
			c := newClient(sim.ClientEnv{SpecVersion: protocol.V20260728, Transport: sim.StreamableHTTP}, none)
			require.NoError(t, c.Connect(t.Context(), door))
			ended.Go(func() {
				ctx := ctx
				if i > 0 {
					ctx = context.Background()
				}
				_, err := c.Call(ctx, sim.Request{Method: protocol.Listen, Name: fmt.Sprintf("mcpsim://call/%d", i), Tools: i == 1})
				if i == 0 {
					assert.ErrorIs(t, err, context.Canceled)
				} else {
					assert.NoError(t, err)
				}
				assert.NoError(t, c.Close())
			})
		}
		synctest.Wait()
		w.server.ChangeResource("mcpsim://call/0")
		w.server.ChangeResource("mcpsim://call/2")
		w.server.ChangeTools(sim.Tool{Name: "extra"}, true)
		synctest.Wait()
		cancel()
		synctest.Wait()
		w.server.ChangeResource("mcpsim://call/0")
		synctest.Wait()
		w.close(t)
		ended.Wait()
		assert.Equal(t, []int{2, 3, 3}, counts, "acknowledgement, change, and the response of those that the server ended")
	})
}

// Tasks outlive the exchange that began them.
func TestWebTasks(t *testing.T) {
	inWebAt(t, protocol.V20251125, sim.ServerEnv{Tasks: true}, sim.ClientEnv{}, func(t *testing.T, w *webWorld, c *client) {
		task, err := c.StartTask(t.Context(), callOf("slow", "1000", nil), time.Minute)
		require.NoError(t, err)
		status, err := c.GetTask(t.Context(), task)
		require.NoError(t, err)
		assert.Equal(t, protocol.Working, status)
		text, err := c.TaskResult(t.Context(), task)
		require.NoError(t, err)
		assert.Equal(t, "done", text)
		task, err = c.StartTask(t.Context(), callOf("slow", "1000", nil), time.Minute)
		require.NoError(t, err)
		require.NoError(t, c.CancelTask(t.Context(), task))
		synctest.Wait()
		assert.EqualValues(t, 1, w.told.Load())
	})
}

// A batch is one POST, and its answers come by one stream.
func TestWebBatch(t *testing.T) {
	inWebAt(t, protocol.V20250326, sim.ServerEnv{}, sim.ClientEnv{}, func(t *testing.T, w *webWorld, c *client) {
		var calls sync.WaitGroup
		batched := callOf("slow", "100", nil)
		batched.Mischief = &sim.Mischief{Batch: true}
		calls.Go(func() {
			text, err := c.Call(t.Context(), batched)
			assert.NoError(t, err)
			assert.Equal(t, "done", text)
		})
		synctest.Wait()
		calls.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_, err := c.Call(ctx, callOf("slow", "100", nil))
			assert.ErrorIs(t, err, context.DeadlineExceeded)
		})
		calls.Wait()
		assert.EqualValues(t, 1, w.told.Load())
	})
}

// What a scenario has a client do on purpose harms neither side, at any version.
func TestWebMischief(t *testing.T) {
	for version := range webVersions() {
		t.Run(version, func(t *testing.T) {
			inWebAt(t, version, sim.ServerEnv{}, sim.ClientEnv{}, func(t *testing.T, w *webWorld, c *client) {
				prank := callOf("slow", "10", nil)
				prank.Mischief = &sim.Mischief{Strays: sim.StrayKinds()}
				text, err := c.Call(t.Context(), prank)
				require.NoError(t, err)
				assert.Equal(t, "done", text)
				prank.Mischief = &sim.Mischief{Together: true}
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				defer cancel()
				_, err = c.Call(ctx, prank)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				prank.Mischief = &sim.Mischief{ID: "1.5"}
				_, err = c.Call(t.Context(), prank)
				require.ErrorContains(t, err, "neither a string nor an integer")
				time.Sleep(time.Second)
				require.NoError(t, c.Probe(t.Context()))
			})
		})
	}
}

// Whatever a server does on purpose with a call, the client gets what is its.
func TestWebUnrulyServer(t *testing.T) {
	for version := range webVersions() {
		t.Run(version, func(t *testing.T) {
			calls := 0
			env := sim.ServerEnv{Mischief: func(int) ([]string, bool) {
				if calls++; calls < 3 {
					return nil, false
				}
				return sim.ServerMischief(), true
			}}
			inWebAt(t, version, env, sim.ClientEnv{}, func(t *testing.T, w *webWorld, c *client) {
				for range 3 {
					text, err := c.Call(t.Context(), callOf("chatty", "10", "p"))
					require.NoError(t, err)
					assert.Equal(t, "done", text)
				}
			})
		})
	}
}

// Many clients use the same ids at once, cancel some of them, and each gets what
// is its own.
func TestManyClients(t *testing.T) {
	for version, transport := range webVersions() {
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWebWorld(sim.ServerEnv{SpecVersion: version, Transport: transport}, none)
				defer w.close(t)
				var clients sync.WaitGroup
				all := 20
				if version >= protocol.V20251125 { // one of each era is enough for so many
					all = 200
				}
				for i := range all {
					clients.Go(func() {
						c := newClient(sim.ClientEnv{SpecVersion: version, Transport: transport}, none)
						assert.NoError(t, c.Connect(t.Context(), w.door()))
						text, err := c.Call(t.Context(), callOf("counts", fmt.Sprint(i), nil))
						assert.NoError(t, err)
						assert.Equal(t, fmt.Sprint(i), text)
						ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
						defer cancel()
						if i%2 == 0 {
							ctx = t.Context()
						}
						_, err = c.Call(ctx, callOf("slow", "100", nil))
						assert.Equal(t, i%2 == 0, err == nil, "%v", err)
						time.Sleep(time.Second)
						if !protocol.Modern(version) {
							assert.Equal(t, all, w.server.Sessions())
						}
						time.Sleep(time.Second)
						assert.NoError(t, c.Close())
					})
				}
				clients.Wait()
				synctest.Wait()
				assert.EqualValues(t, all/2, w.told.Load())
				assert.Zero(t, w.server.Sessions())
			})
		})
	}
}
