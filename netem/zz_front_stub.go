package netem

import (
	"net/http"
	"time"
)

type FrontFault struct {
	Kind   string
	After  time.Duration
	Events int
}
type Front struct {
	Decide   func(*http.Request) FrontFault
	Backends []http.Handler
	Pick     func(*http.Request) int
}

func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.Decide(r)
	f.Backends[f.Pick(r)].ServeHTTP(w, r)
}
