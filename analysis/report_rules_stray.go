package analysis

// strayWording has the rules of cancels that are for something else than what they
// hit, or for nothing.
func strayWording(rule string) RuleText {
	switch rule {
	case "CANCEL-RIGHT-CALL":
		return RuleText{Says: "has a cancel affect a call that it does not name", OwnWords: true,
			Counts:   "calls that a cancel of another request could be taken to mean",
			Exercise: "No cancel could be taken for one of another call: SDKs choose their ids themselves; run id-twins or id-reuse with --client reference."}
	case "CANCEL-INVALID-IGNORED":
		return RuleText{Says: "does not ignore a cancel that is for nothing", OwnWords: true, Counts: "cancels read that were malformed, unknown or too late",
			Exercise: "Every cancel that was read was for a call in flight: run malformed-cancels with --client reference."}
	case "CANCEL-NO-REPLY":
		return RuleText{Says: "replies to a cancel", Counts: "cancels read", Exercise: "No cancel was read."}
	}
	return RuleText{}
}
