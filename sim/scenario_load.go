package sim

import "fmt"

// The ways in which calls come.
const (
	// Closed: a caller makes its next call after the last one has returned.
	Closed = "closed"
	// Open: calls come whether or not others have returned, as a Poisson process.
	Open = "open"
)

// A Load says who calls, and how often.
type Load struct {
	Arrivals string // Closed or Open
	Callers  int    // at most MaxCallers; 0 for open arrivals, which need none
	Calls    int    // of all callers of a client together
	// Clients is how many clients the one server has; 0: one. Each has callers of its
	// own and makes as many calls; those of all of them are at most MaxCalls.
	Clients int
	// Connect is when each of several clients connects, since the world began.
	Connect Distribution
	// Rate is how many calls a client makes a second when arrivals are open, on average
	// and independently of each other; otherwise 0.
	Rate float64
	// Requests are the kinds of calls; nil: tools/call alone.
	Requests []RequestKind
	// Think is how long a caller waits before a call, since its last one returned
	// or since the load began; 0 for open arrivals.
	Think Distribution
	// IDs are the kinds of request ids, given by a client that can; nil: it counts.
	IDs []IDKind
	// Tokens says which progress tokens calls get: OwnTokens, ReusedTokens or
	// SharedTokens; empty: OwnTokens.
	Tokens string
	// Batch is the share of the calls, 0 to 1, whose request a client that can sends
	// in one batch with what it sends next.
	Batch float64
}

// A RequestKind is a method, and how often it is called.
type RequestKind struct {
	Kind   string // see Methods
	Weight int    // its share of the calls is Weight in the sum of weights
	// Task has a tools/call made as a task; nil: as a call.
	Task *TaskPlan
	// For is how long the application keeps a subscription that nothing else ends;
	// zero for all kinds but subscriptions/listen.
	For Distribution
}

func (d *decoder) load(l *Load, n *node, path string) {
	d.mapping(n, path,
		key{"arrivals", d.text(&l.Arrivals, "closed"), ""},
		key{"rate", figure(d, &l.Rate, parseRate), ""},
		key{"callers", d.integer(&l.Callers), ""},
		key{"calls", d.integer(&l.Calls), ""},
		key{"clients", d.clients(&l.Clients), ""},
		key{"connect", d.distribution(&l.Connect), ""},
		key{"think", d.distribution(&l.Think), ""},
		key{"requests", func(n *node, path string) { d.requests(&l.Requests, n, path) }, ""},
		key{"ids", func(n *node, path string) { d.ids(&l.IDs, n, path) }, ""},
		key{"tokens", d.text(&l.Tokens, SharedTokens), ""},
		key{"batch", d.share(&l.Batch), ""},
	)
	if _, given := d.places["load.callers"]; !given && l.Arrivals == Open {
		l.Callers = 0
	}
}

func (d *decoder) requests(to *[]RequestKind, n *node, path string) {
	*to = []RequestKind{}
	d.list(n, path, "- {kind: tools/call, weight: 7}", func(n *node, path string) {
		k := RequestKind{Weight: 1}
		d.mapping(n, path,
			key{"kind", d.text(&k.Kind, "tools/call"), "tools/call"},
			key{"weight", d.integer(&k.Weight), ""},
			key{"task", func(n *node, path string) { k.Task = d.task(n, path) }, ""},
			key{"for", d.distribution(&k.For), ""},
		)
		*to = append(*to, k)
	})
}

func (c *checker) load(l Load) {
	c.oneOf("load.arrivals", l.Arrivals, Closed, Open)
	c.integer("load.calls", l.Calls, 1, MaxCalls)
	c.requests(l.Requests)
	c.ids(l.IDs)
	c.tokens(l.Tokens)
	c.share("load.batch", l.Batch)
	if l.Arrivals == Open {
		c.open(l)
		return
	}
	c.integer("load.callers", l.Callers, 1, MaxCallers)
	c.distribution("load.think", l.Think, maxDelay)
	if l.Rate != 0 {
		c.fault("load.rate", "rate has no meaning for closed arrivals", "leave it out, or write arrivals: open")
	}
	if l.Callers > l.Calls && l.Callers <= MaxCallers && l.Calls > 0 {
		c.fault("load.callers", fmt.Sprintf("%d callers cannot share %d calls", l.Callers, l.Calls),
			"give each caller a call: calls counts those of all callers together")
	}
}

// open checks arrivals that wait for nobody.
func (c *checker) open(l Load) {
	if !(l.Rate >= minRate && l.Rate <= maxRate) { // not the other way round: NaN is neither
		c.fault("load.rate", formatRate(l.Rate)+" is no rate for open arrivals",
			"write one from "+formatRate(minRate)+" to "+formatRate(maxRate)+", such as 20/s")
	}
	if l.Callers != 0 {
		c.fault("load.callers", "callers have no meaning for open arrivals", "leave them out: each call has a caller of its own")
	}
	if l.Think != (Distribution{}) {
		c.fault("load.think", "think has no meaning for open arrivals", "leave it out: the rate says when calls are made")
	}
}

func (c *checker) requests(kinds []RequestKind) {
	if n := len(kinds); kinds != nil && (n == 0 || n > maxHandlers) {
		c.fault("load.requests", fmt.Sprintf("there are %d", n), fmt.Sprintf("list 1 to %d, such as - {kind: tools/call, weight: 7}", maxHandlers))
	}
	for i, k := range kinds {
		path := fmt.Sprintf("load.requests[%d]", i)
		c.oneOf(path+".kind", k.Kind, Methods()...)
		c.integer(path+".weight", k.Weight, 1, maxWeight)
		c.task(path, k)
		c.kept(path, k)
	}
}

func (w *yamlWriter) load(l Load) {
	w.line("load:")
	w.line("  arrivals: %s", l.Arrivals)
	w.clients(l)
	if l.Arrivals == Open {
		w.line("  rate: %s", formatRate(l.Rate))
		w.line("  calls: %d", l.Calls)
	} else {
		w.line("  callers: %d", l.Callers)
		w.line("  calls: %d", l.Calls)
		w.line("  think: %s", formatDistribution(l.Think))
	}
	w.requests(l.Requests)
	w.ids(l)
}

func (w *yamlWriter) requests(kinds []RequestKind) {
	if kinds == nil {
		return
	}
	w.line("  requests:")
	for _, k := range kinds {
		kept := ""
		if k.For != (Distribution{}) {
			kept = ", for: " + formatDistribution(k.For)
		}
		w.line("    - {kind: %s, weight: %d%s%s}", k.Kind, k.Weight, kept, formatTask(k.Task))
	}
}
