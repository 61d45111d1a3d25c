package sim

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim/history"
)

// Who gives an exchange up, when, and what both sides see of it. The handler reports
// progress after 10 ms and answers after 20, unless it is told before that its context is
// done.
func TestGivingUp(t *testing.T) {
	for _, row := range []struct {
		why    string
		client func(*stage)
		want   string
	}{
		{"the context ends before anything is sent", func(s *stage) {
			ctx, cancel := context.WithCancel(s.Context())
			cancel()
			_, err := s.send(ctx, aCall)
			assert.ErrorIs(s, err, context.Canceled)
		}, `
			client begin POST
			client write request tools/call
			client drop (context canceled)
			client wrote request tools/call (context canceled)
			server unread request tools/call
		`},
		{"before the head", func(s *stage) {
			ctx, cancel := context.WithTimeout(s.Context(), 5*time.Millisecond)
			defer cancel()
			_, err := s.send(ctx, aCall)
			assert.ErrorIs(s, err, context.DeadlineExceeded)
		}, `
			client begin POST
			client write request tools/call
			client wrote request tools/call
			server begin POST
			server read request tools/call
			client drop (context deadline exceeded)
			server gone
			server told
			server finish
		`},
		{"by the context, in the middle of the response", func(s *stage) {
			ctx, cancel := context.WithTimeout(s.Context(), 15*time.Millisecond)
			defer cancel()
			r := s.post(ctx, aCall)
			_, err := io.Copy(io.Discard, r.Body)
			assert.ErrorIs(s, err, context.DeadlineExceeded)
			assert.NoError(s, r.Body.Close())
		}, `
			client begin POST
			client write request tools/call
			client wrote request tools/call
			server begin POST
			server read request tools/call
			server status 200
			server write notification notifications/progress
			server wrote notification notifications/progress
			client status 200
			client read notification notifications/progress
			client drop (context deadline exceeded)
			server gone
			server told
			server finish
		`},
		{"by closing the body", func(s *stage) {
			r := s.post(s.Context(), aCall)
			time.Sleep(time.Millisecond)
			assert.NoError(s, r.Body.Close())
			assert.NoError(s, r.Body.Close())
		}, `
			client begin POST
			client write request tools/call
			client wrote request tools/call
			server begin POST
			server read request tools/call
			server status 200
			server write notification notifications/progress
			server wrote notification notifications/progress
			client status 200
			client drop (body closed)
			server gone
			server told
			server finish
			client unread notification notifications/progress
		`},
		{"by closing the body and then ending the context", func(s *stage) {
			ctx, cancel := context.WithCancel(s.Context())
			r := s.post(ctx, aCall)
			assert.NoError(s, r.Body.Close())
			cancel()
		}, `
			client begin POST
			client write request tools/call
			client wrote request tools/call
			server begin POST
			server read request tools/call
			server status 200
			server write notification notifications/progress
			server wrote notification notifications/progress
			client status 200
			client drop (body closed)
			server gone
			server told
			server finish
			client unread notification notifications/progress
		`},
		{"by ending the context and then closing the body", func(s *stage) {
			ctx, cancel := context.WithCancel(s.Context())
			r := s.post(ctx, aCall)
			cancel()
			assert.NoError(s, r.Body.Close())
		}, `
			client begin POST
			client write request tools/call
			client wrote request tools/call
			server begin POST
			server read request tools/call
			server status 200
			server write notification notifications/progress
			server wrote notification notifications/progress
			client status 200
			client drop (context canceled)
			server gone
			server told
			server finish
			client unread notification notifications/progress
		`},
		{"after the response", func(s *stage) {
			ctx, cancel := context.WithCancel(s.Context())
			r := s.post(ctx, aCall)
			_, err := io.Copy(io.Discard, r.Body)
			assert.NoError(s, err)
			cancel()
			time.Sleep(time.Millisecond)
			assert.NoError(s, r.Body.Close())
		}, `
			client begin POST
			client write request tools/call
			client wrote request tools/call
			server begin POST
			server read request tools/call
			server status 200
			server write notification notifications/progress
			server wrote notification notifications/progress
			client status 200
			client read notification notifications/progress
			server write response 1
			server wrote response 1
			server finish
			client read response 1
			client finish
		`},
		{"after the answer, before the stream's end", func(s *stage) {
			r := s.post(s.Context(), aCall)
			_, err := io.ReadFull(r.Body, make([]byte, len("data: "+aReport+"\n\ndata: "+anAnswer+"\n\n")))
			assert.NoError(s, err)
			assert.NoError(s, r.Body.Close())
		}, `
			client begin POST
			client write request tools/call
			client wrote request tools/call
			server begin POST
			server read request tools/call
			server status 200
			server write notification notifications/progress
			server wrote notification notifications/progress
			client status 200
			client read notification notifications/progress
			server write response 1
			server wrote response 1
			server finish
			client read response 1
			client drop (body closed)
		`},
		{"nobody, but the connection breaks", func(s *stage) {
			r := s.post(s.Context(), aCall)
			_, err := io.ReadFull(r.Body, make([]byte, len("data: "+aReport+"\n\n")))
			assert.NoError(s, err)
			s.wire.network.(*netem.Network).Conn(1).Reset()
			_, err = io.Copy(io.Discard, r.Body)
			assert.ErrorIs(s, err, net.ErrClosed)
			assert.NoError(s, r.Body.Close())
		}, `
			client begin POST
			client write request tools/call
			client wrote request tools/call
			server begin POST
			server read request tools/call
			server status 200
			server write notification notifications/progress
			server wrote notification notifications/progress
			client status 200
			client read notification notifications/progress
			client finish (error)
			server gone
			server told
			server finish
		`},
	} {
		t.Run(row.why, func(t *testing.T) {
			for _, protocol := range []string{HTTP1, H2C} {
				got := onStage(t, protocol, attentively, row.client)
				assert.Equal(t, lines(row.want), got, protocol)
			}
		})
	}
}

func attentively(s *stage, w http.ResponseWriter, r *http.Request) {
	hear(r)
	told := make(chan struct{})
	unwatch := context.AfterFunc(r.Context(), func() {
		defer close(told)
		s.world.note(history.Event{Side: history.Server, Kind: history.Told, Exchange: 1})
	})
	defer func() {
		if r.Context().Err() != nil || !unwatch() {
			<-told
		}
	}()
	select {
	case <-time.After(10 * time.Millisecond):
	case <-r.Context().Done():
		return
	}
	speak(w, 200, events)
	say(w, "data: "+aReport+"\n\n")
	select {
	case <-time.After(10 * time.Millisecond):
	case <-r.Context().Done():
		return
	}
	say(w, "data: "+anAnswer+"\n\n")
}
