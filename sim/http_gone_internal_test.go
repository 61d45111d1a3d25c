package sim

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A tardy context has ended, or does as soon as it is asked to, and does not get round to
// telling those who watch it: what another processor may see of any context, for a moment.
type tardy struct {
	context.Context
	ended bool
}

func (t *tardy) Err() error {
	if t.ended {
		return context.Canceled
	}
	return t.Context.Err()
}

// AfterFunc is what package context asks for of a context that is not its own.
func (*tardy) AfterFunc(func()) (stop func() bool) { return func() bool { return true } }

// Done is never nil, or package context takes it that the context cannot end.
func (*tardy) Done() <-chan struct{} { return make(chan struct{}) }

// A handler that returns in the instant in which its client goes has seen it go.
func TestGoneInTheInstantOfTheReturn(t *testing.T) {
	for _, row := range []struct {
		why   string
		ended bool
		want  string
	}{
		{"the context has ended, and nobody was told yet", true, "server wrote response 1\nserver gone\nserver finish"},
		{"the client is there", false, "server wrote response 1\nserver finish"},
	} {
		t.Run(row.why, func(t *testing.T) {
			ctx := &tardy{}
			got := onStage(t, HTTP1, func(_ *stage, w http.ResponseWriter, r *http.Request) {
				hear(r)
				speak(w, 200, events)
				say(w, "data: "+anAnswer+"\n\n")
				ctx.ended = row.ended
			}, func(s *stage) {
				chain := s.wire.server.Handler
				s.wire.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					ctx.Context = r.Context()
					chain.ServeHTTP(w, r.WithContext(ctx))
				})
				s.whole(aCall)
			})
			got = slices.DeleteFunc(got, func(line string) bool { return !strings.HasPrefix(line, "server") })
			want := lines(row.want)
			require.Greater(t, len(got), len(want))
			assert.Equal(t, want, got[len(got)-len(want):])
		})
	}
}
