package analysis

import "github.com/mcpsim/mcpsim/sim/history"

// Remains are what a server over HTTP still had when all its clients had closed and the
// world had been left alone, before it was told to stop: of one world, or of several
// together.
type Remains struct {
	Closed    int `json:"closed"`    // sessions that their clients closed
	Alive     int `json:"alive"`     // sessions alive, by the server's own account
	Exchanges int `json:"exchanges"` // HTTP exchanges that reached the server
	Open      int `json:"open"`      // of these, never ended by it
	Asked     int `json:"asked"`     // HTTP exchanges that clients began
	Waiting   int `json:"waiting"`   // of these, neither read to their end by them nor given up
	Worlds    int `json:"worlds"`    // in which they were counted
	Leaky     int `json:"leaky"`     // of these, with a session or an exchange left
}

// add adds those of another world, or of others.
func (r *Remains) add(o Remains) {
	r.Closed += o.Closed
	r.Alive += o.Alive
	r.Exchanges += o.Exchanges
	r.Open += o.Open
	r.Asked += o.Asked
	r.Waiting += o.Waiting
	r.Worlds += o.Worlds
	r.Leaky += o.Leaky
}

// A census counts what a history tells of sessions and exchanges, up to its event
// [history.Sessions].
type census struct {
	begun, ended, closed int
	asked                int
	waiting              map[int]bool // exchanges that clients are not done with
}

// see takes the next event; it returns what remains at the one that ends the count.
func (c *census) see(e *history.Event) *Remains {
	server := e.Side == history.Server
	switch {
	case e.Kind == history.Begin && server:
		c.begun++
	case e.Kind == history.Finish && server:
		c.ended++
	case e.Kind == history.Begin && e.Side == history.Client:
		if c.waiting == nil {
			c.waiting = map[int]bool{}
		}
		c.asked++
		c.waiting[e.Exchange] = true
	case e.Side == history.Client && (e.Kind == history.Finish || e.Kind == history.Drop):
		delete(c.waiting, e.Exchange)
	case e.Kind == history.Closed:
		c.closed++
	case e.Kind == history.Sessions:
		r := &Remains{Closed: c.closed, Alive: e.N, Exchanges: c.begun, Open: c.begun - c.ended, Asked: c.asked, Waiting: len(c.waiting), Worlds: 1}
		if r.Alive+r.Open > 0 {
			r.Leaky = 1
		}
		return r
	}
	return nil
}

// remainsOf adds up what is left in the worlds of several groups; nil if nobody counted.
func remainsOf(groups []Group) *Remains {
	var sum *Remains
	for _, g := range groups {
		if g.Remains == nil {
			continue
		}
		if sum == nil {
			sum = &Remains{}
		}
		sum.add(*g.Remains)
	}
	return sum
}
