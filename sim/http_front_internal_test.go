package sim

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const aPing = `{"jsonrpc":"2.0","id":2,"method":"ping"}`

// A connection that breaks is the fault of the exchanges that it carries then, whichever
// it was that the fault was drawn for. Here each ping lights a fuse of 25 ms; it is answered
// at once, and a call 20 ms after its request has come.
func TestWhomADropBefalls(t *testing.T) {
	var (
		itself = func(s *stage) {
			s.world.Scenario.HTTP.Faults[0] = HTTPFault{Kind: Drop, Of: "tools/call", Share: 1, After: Fixed(10 * time.Millisecond)}
			s.ask(aCall)
		}
		nobody = func(s *stage) {
			s.ask(aPing)
			s.ask(aCall)
		}
		next = func(s *stage) {
			s.ask(aPing)
			time.Sleep(10 * time.Millisecond)
			s.ask(aCall)
		}
		tooLate = func(s *stage) { // the ping takes 1 ms to the server, and so does the reset back
			begun := time.Now()
			s.ask(aPing)
			time.Sleep(26500*time.Microsecond - time.Since(begun))
			s.ask(aCall)
		}
		several = func(s *stage) {
			s.ask(aPing)
			var all sync.WaitGroup
			for i := range 2 {
				all.Go(func() {
					time.Sleep(time.Duration(10+i) * time.Millisecond)
					s.ask(aCall)
				})
			}
			all.Wait()
		}
		gone = func(s *stage) {
			s.ask(aPing)
			time.Sleep(10 * time.Millisecond)
			ctx, cancel := context.WithTimeout(s.Context(), 5*time.Millisecond)
			defer cancel()
			_, err := s.send(ctx, aCall)
			assert.Error(s, err)
			time.Sleep(20 * time.Millisecond)
		}
	)
	for _, row := range []struct {
		why, protocol string
		client        func(*stage)
		want          []string
	}{
		{"the one that it was drawn for", HTTP1, itself, []string{"world fault (drop)"}},
		{"the one that it was drawn for", H2C, itself, []string{"world fault (drop)"}},
		{"all that there were are over", HTTP1, nobody, nil},
		{"all that there were are over", H2C, nobody, nil},
		{"the next on the same connection", HTTP1, next, []string{"2 world fault (drop)"}},
		{"the next on the same connection", H2C, next, []string{"2 world fault (drop)"}},
		{"one whose client did not know yet", HTTP1, tooLate, []string{"2 world fault (drop)"}},
		{"one whose client did not know yet", H2C, tooLate, []string{"2 world fault (drop)"}},
		{"the other has a connection of its own", HTTP1, several, []string{"2 world fault (drop)"}},
		{"both, on one connection", H2C, several, []string{"2 world fault (drop)", "3 world fault (drop)"}},
		{"the client had given it up", H2C, gone, nil},
	} {
		t.Run(row.why+" "+row.protocol, func(t *testing.T) {
			got := onStage(t, row.protocol, slowCalls, func(s *stage) {
				s.world.Scenario.HTTP.Faults = []HTTPFault{{Kind: Drop, Of: "ping", Share: 1, After: Fixed(25 * time.Millisecond)}}
				row.client(s)
				time.Sleep(50 * time.Millisecond)
			})
			faults := slices.DeleteFunc(slices.Clone(got), func(line string) bool { return !strings.Contains(line, "fault") })
			assert.ElementsMatch(t, row.want, faults, "%s", strings.Join(got, "\n"))
		})
	}
}

// ask posts a message, whatever becomes of that.
func (s *stage) ask(body string) {
	if r, err := s.send(s.Context(), body); err == nil {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
	}
}

func slowCalls(_ *stage, w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // whether it came is in the history
	if string(body) == aCall {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-r.Context().Done():
			return
		}
	}
	speak(w, 200, object)
	say(w, anAnswer)
}
