package oracle

// What several rules leave uncounted.

const unnotified = "The caller cancelled a call that was pending and whose request was written, and until the session's end or the world's limit no cancel for it was."

func unnotifiedExemptions() []Exemption {
	return []Exemption{
		{Why: whyReplyFirst, What: "The client had read the response, in the same instant at the latest: nothing was left to cancel.",
			Asks: "Had the client read the response, so that nothing was left to cancel?", answer: (*defence).replyRead},
		{Race: "R7", Why: whyClosing, What: "The session ended before, or in the same instant.",
			Asks: "Was the session ending?", answer: (*defence).sessionOver},
		{Why: whyWriterHeld, What: "The client could not write: the network took nothing until the response came or the session ended.",
			Asks: "Could the client not write?", answer: (*defence).writerHeld},
		{What: "The request was never written.", Asks: "Had the request never been written?", answer: (*defence).unwritten},
		unclearIDExemption(),
	}
}

// crossings are what excuses any message after a cancel.
func crossings() []Exemption {
	return []Exemption{
		{Race: "R1", Why: whyResponseBefore, What: "The response was begun before; it may be delivered after.",
			Asks: "Had the server begun to write it when it read the cancel?", answer: (*defence).begunBefore},
		{Race: "R2", Why: whyHandlerOver, What: "The work was done; the receiver may ignore the cancel.",
			Asks: "Had the handler ended by then?", answer: (*defence).handlerOver},
		sameInstantExemption(),
		{Race: "R14", Why: whyServerHeld,
			What: "The network did not take what the server wrote, from before the cancel was read until the response was begun, and no handler shows when the work was done: the response may have waited in line."},
		prematureExemption(),
		unclearIDExemption(),
	}
}

func progressUnderWay() []Exemption {
	return []Exemption{
		{Race: "R8", Why: whyProgressBefore, What: "Progress that was in transit.",
			Asks: "Was it progress that was in transit?", answer: (*defence).progressInTransit},
		{Race: "R8", Why: whyProgressAsked, What: "Progress that the tool had handed over before, and that had to wait for its turn to be written.",
			Asks: "Was it progress that had only waited for its turn?", answer: (*defence).progressWaited},
		{Why: whySharedToken, What: "Progress under a token that several active requests had: whose it is cannot be told.",
			Asks: "Was it progress of another request that had the same token?", answer: (*defence).sharedToken},
	}
}

func sameInstantExemption() Exemption {
	return Exemption{
		Race: "R14", Why: whySameInstant,
		What: "Two threads of the receiver in one instant: one had the cancel, the other did not know yet. It counts only if the handler had been told in between.",
		Asks: "Could the two have passed each other inside the server, in one instant?", answer: (*defence).passedInside,
	}
}

func oneBatchExemption() Exemption {
	return Exemption{
		Race: "R4", Why: whyOneBatch,
		What: "At 2025-03-26, a cancel that came in one batch with its request: JSON-RPC lets the receiver work on the messages of a batch in any order.",
	}
}

func prematureExemption() Exemption {
	return Exemption{
		Race: "R4", Why: whyPremature, What: "The id was unknown when the cancel was read. Not possible over stdio, which keeps the order.",
		Asks: "Was the request unknown to the server?", answer: (*defence).requestUnknown,
	}
}

func noticeExemption() Exemption {
	return Exemption{What: "A notification that has an id, which CANCEL-NO-RPC-ID forbids of a cancel: no request was meant."}
}

func sentAgainExemption() Exemption {
	return Exemption{What: "Over HTTP, the client posted the same message again, since the network had broken the first exchange off, or it had been refused: whether it had reached the server the client cannot know."}
}

func unclearIDExemption() Exemption {
	return Exemption{
		Why:  whyUnclearID,
		What: "The requester used an id again that was not answered yet, or, before 2026-07-28, at all; or one that is neither a string nor a whole number. Or, over HTTP, the client made a call again by another request, since the exchange of the first had come to nothing. What belongs to which request cannot be told, or the receiver may refuse.",
		Asks: "Could the id have meant another request?", answer: (*defence).idReused,
	}
}
