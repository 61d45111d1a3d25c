package oracle

// The rules of what tools ask of clients. Those of calls hold for it, too.
func nestedRules() []Rule {
	return []Rule{{
		ID:        "NESTED-CANCELLED",
		Statement: "A server whose tool was told to stop cancels what the tool had asked of the client.",
		Property:  Liveness,
		Convicts: "A tool was told to stop while the client had its question, and until the session's end or the world's limit the server wrote no cancel for it. " +
			"So the client's application, a user perhaps, works on what nobody waits for.",
		Exempt:    append(append(unnotifiedExemptions(), unnotifiedOverHTTP()...), Exemption{Race: "R16", What: "The client's answer crossed the server's cancel."}),
		Elsewhere: []Binding{{HTTPSSE, firstVersion, firstVersion, Quality}, {StreamableHTTP, firstHTTP, lastLegacy, Quality}},
		Notes: []string{
			"No clause asks for it in so many words: either side MAY cancel a request of its own, and SHOULD when its time is up.",
			"Since 2026-07-28 servers ask nothing of clients.",
		},
	}}
}
