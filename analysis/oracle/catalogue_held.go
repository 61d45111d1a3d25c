package oracle

// The rules of what a cancelled request goes on to hold.
func heldRules() []Rule {
	return []Rule{{
		ID:        "CANCEL-FREE",
		Statement: "What a cancelled request held is given back while the session goes on.",
		Property:  Liveness,
		Clauses:   onBothPages("Free associated resources", Should),
		Convicts: "Goroutines were counted when no call was pending, no handler ran and no cancel was under way, at least twice, with eight cancels or more of unanswered requests read in between. There were at least as many more as there were cancels, " +
			"and none more between counts without a cancel, although calls were made.",
		Exempt: []Exemption{
			{Why: whyNotTheCancels, What: "Goroutines that grew with calls that nobody cancelled as well, or where there was no such call to compare with: NO-LEAK asks what remains of them."},
			{Why: whyUnderLateLeak, What: "What remained in the end was the client's, by the names on the stacks: LATE-NO-LEAK."},
			{Race: "R13", What: "Counts while a handler runs are left out, so that a tool which does not stop is not the implementation's."},
		},
		Notes: []string{
			"Goroutines are all of what is held that a history shows; an entry in a table costs none.",
			"Which side holds them does not show while the session is open, so that a breach names a side only if the goroutines outlive it. Each side opposite the reference tells the two apart.",
			"Over HTTP it is not judged: connections that are kept for later cost goroutines, too, and grow with the load. There EXCHANGE-ENDED and SESSION-ENDS ask what is held.",
			"What remains after the end in worlds with fewer cancels is NO-LEAK's; it stands in no proportion to anything.",
		},
	}, {
		ID:        "LATE-NO-LEAK",
		Statement: "Who has cancelled a call keeps nothing for the response that may still come.",
		Property:  Liveness,
		Convicts:  "The goroutines grew with the cancels as CANCEL-FREE counts them, and when the session was closed and all timers had run out at least as many as there were cancels remained that the client's code runs.",
		Exempt: []Exemption{
			{Why: whyUnderFree, What: "Whose goroutines they are does not show: CANCEL-FREE."},
		},
		Notes: []string{
			"An entry that waits for a late response is fine as long as their number is bounded; what convicts is one more for each cancel.",
		},
	}}
}
