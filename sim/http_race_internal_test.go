package sim

import (
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
)

// What several goroutines do with one exchange at a time; the race detector looks at these
// tests.

// A world may end while a server is in the middle of a message.
func TestTheWorldEndsInTheMiddleOfAMessage(t *testing.T) {
	onStage(t, HTTP1, answering, func(s *stage) {
		for range 100 {
			ex := begin(s.wire)
			tap := &responseTap{ResponseWriter: deaf{http.Header{"Content-Type": {events}}}, ex: ex}
			say(tap, "data: {")
			var both sync.WaitGroup
			both.Go(ex.unread)
			both.Go(func() { say(tap, anAnswer[1:]+"\n\n") })
			both.Wait()
		}
	})
}

// A server may write to a response from several goroutines, and one of them come too late.
func TestSeveralWriteToAResponse(t *testing.T) {
	onStage(t, HTTP1, answering, func(s *stage) {
		for range 100 {
			ex := begin(s.wire)
			tap := &responseTap{ResponseWriter: deaf{http.Header{"Content-Type": {object}}}, ex: ex}
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() { say(tap, anAnswer) })
			}
			all.Go(func() { ex.serverDone(tap, nil) })
			all.Wait()
		}
	})
}

// A body may be closed while it is read, as that of net/http.
func TestABodyIsClosedWhileItIsRead(t *testing.T) {
	for range 20 {
		onStage(t, HTTP1, answering, func(s *stage) {
			r := s.post(s.Context(), aCall)
			var both sync.WaitGroup
			both.Go(func() { _, _ = io.Copy(io.Discard, r.Body) }) // it may be closed before
			both.Go(func() { assert.NoError(s, r.Body.Close()) })
			both.Wait()
			synctest.Wait()
		})
	}
}

// A deaf client hears nothing of a response.
type deaf struct{ head http.Header }

func (d deaf) Header() http.Header       { return d.head }
func (deaf) WriteHeader(int)             {}
func (deaf) Write(p []byte) (int, error) { return len(p), nil }
