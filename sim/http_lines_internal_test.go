package sim

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim/history"
)

// What exchanges there are, and on which connection, several goroutines ask while others
// begin more; the race detector looks at this test.
func TestConnectionsDropWhileExchangesBegin(t *testing.T) {
	for _, protocol := range []string{HTTP1, H2C} {
		onStage(t, protocol, slowCalls, func(s *stage) {
			s.ask(aPing)
			ctx := netem.WithConn(s.Context(), s.wire.network.(*netem.Network).Conn(1))
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, nil)
			assert.NoError(s, err)
			var clients, others sync.WaitGroup
			over := make(chan struct{})
			for _, asks := range []func(){func() { s.wire.dropConn(r) }, func() {
				for _, ex := range s.wire.closeBook() {
					assert.Positive(s, ex.n)
				}
			}} {
				others.Go(func() {
					for {
						select {
						case <-over:
							return
						default:
							asks()
						}
					}
				})
			}
			for range 4 {
				clients.Go(func() {
					for range 200 {
						s.wire.carries(1, s.wire.open(s.world.seats[0], r, []byte(aCall)))
					}
				})
			}
			clients.Wait()
			close(over)
			others.Wait()
		})
	}
}

// An exchange suffers the break of the connection that it is on, once.
func TestLines(t *testing.T) {
	const a, b = 1, 2
	for _, row := range []struct {
		why  string
		acts func(x *httpWire, ex *exchange)
		want int
	}{
		{"of that it is on", func(x *httpWire, ex *exchange) { x.carries(a, ex); drop(x, a) }, 1},
		{"of another", func(x *httpWire, ex *exchange) { x.carries(a, ex); drop(x, b) }, 0},
		{"of that it was on", func(x *httpWire, ex *exchange) { x.carries(a, ex); x.carries(b, ex); drop(x, a) }, 0},
		{"of one that broke before", func(x *httpWire, ex *exchange) { x.carries(a, begin(x)); drop(x, a); x.carries(a, ex) }, 1},
		{"once", func(x *httpWire, ex *exchange) {
			x.carries(a, ex)
			x.carries(a, ex)
			drop(x, a)
			drop(x, a)
			x.carries(a, ex)
		}, 1},
		{"of two, one after the other", func(x *httpWire, ex *exchange) { x.carries(a, ex); drop(x, a); x.carries(b, ex); drop(x, b) }, 2},
		{"and not when it is over", func(x *httpWire, ex *exchange) { x.carries(a, ex); ex.finish(nil, ""); drop(x, a) }, 0},
	} {
		onStage(t, HTTP1, slowCalls, func(s *stage) {
			row.acts(s.wire, begin(s.wire))
			got := 0
			for _, e := range s.world.rec.History(s.world.header).Events {
				if e.Kind == history.Fault && e.Exchange == 1 {
					got++
				}
			}
			assert.Equal(t, row.want, got, row.why)
		})
	}
}

// drop is dropConn, by the connection's number.
func drop(x *httpWire, conn int) {
	for _, ex := range x.breaks(conn) {
		ex.dropped()
	}
}

func begin(x *httpWire) *exchange {
	r, _ := http.NewRequest(http.MethodGet, endpoint, nil) // which cannot fail
	return x.open(x.world.seats[0], r, nil)
}
