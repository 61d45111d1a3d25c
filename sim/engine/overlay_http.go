package engine

// httpPatches give the connections of an HTTP server an order. They are in maps whose
// keys are pointers, and a map of more than eight goes by the hash of its keys: which
// connection is closed first, or told first that the server goes, would hang on where the
// heap lies.
func httpPatches() []patch {
	const http1, http2 = "net/http/server.go", "net/http/h2_bundle.go"
	return []patch{{
		file: http1, why: "the connections' order of birth",
		old: "\tactiveConn map[*conn]struct{}\n",
		new: "\tactiveConn map[*conn]int // the number of each\n\tbirths     int\n",
	}, {
		file: http1, why: "likewise",
		old: "\t\ts.activeConn = make(map[*conn]struct{})\n",
		new: "\t\ts.activeConn = make(map[*conn]int)\n",
	}, {
		file: http1, why: "likewise",
		old: "\t\ts.activeConn[c] = struct{}{}\n",
		new: "\t\ts.births++\n\t\ts.activeConn[c] = s.births\n",
	}, {
		file: http1, why: "the order in which connections are closed",
		old: "\tfor c := range s.activeConn {\n\t\tc.rwc.Close()\n",
		new: "\tfor _, c := range mcpsimByBirth(s.activeConn) {\n\t\tc.rwc.Close()\n",
	}, {
		file: http1, why: "the order in which idle connections are closed",
		old: "\tfor c := range s.activeConn {\n\t\tst, unixSec := c.getState()\n",
		new: "\tfor _, c := range mcpsimByBirth(s.activeConn) {\n\t\tst, unixSec := c.getState()\n",
	}, {
		file: http2, why: "the connections' order of birth",
		old: "\tactiveConns map[*http2serverConn]struct{}\n",
		new: "\tactiveConns map[*http2serverConn]int // the number of each\n\tbirths      int\n",
	}, {
		file: http2, why: "likewise",
		old: "\t\tactiveConns: make(map[*http2serverConn]struct{}),\n",
		new: "\t\tactiveConns: make(map[*http2serverConn]int),\n",
	}, {
		file: http2, why: "likewise",
		old: "\ts.activeConns[sc] = struct{}{}\n",
		new: "\ts.births++\n\ts.activeConns[sc] = s.births\n",
	}, {
		file: http2, why: "the order in which connections are told that the server goes",
		old: "\tfor sc := range s.activeConns {\n",
		new: "\tfor _, sc := range mcpsimByBirth(s.activeConns) {\n",
	}}
}

// byBirth is added to h2_bundle.go.
const byBirth = `
func mcpsimByBirth[C comparable](conns map[C]int) []C {
	all := make([]C, 0, len(conns))
	for c := range conns {
		all = append(all, c)
	}
	sort.Slice(all, func(i, j int) bool { return conns[all[i]] < conns[all[j]] })
	return all
}
`
