package reference

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// The defects that only show when the other side does what SDKs never do: with
// ids, with stray cancels, and with a cancel on the heels of its request.
const (
	ignoresIDZero     defect = "ignores-id-zero"
	confusesTwins     defect = "confuses-twins"
	idsAsFloats       defect = "compares-ids-as-floats"
	crossesAnswers    defect = "crosses-answers"
	staleCancelHits   defect = "stale-cancel-hits-reuse"
	cancelsNeighbour  defect = "cancels-neighbour"
	registersLate     defect = "registers-late"
	answersCancel     defect = "answers-cancel"
	diesOnMalformed   defect = "dies-on-malformed"
	diesOnRepeat      defect = "dies-on-repeat"
	diesOnStrayAnswer defect = "dies-on-unknown-answer"
	takesForeign      defect = "takes-foreign-answer"
	diesOnProgress    defect = "dies-on-late-progress"
	heedsServerCancel defect = "heeds-server-cancel-wrongly"
)

// idMutants are those of the server, then those of the client.
func idMutants() []Mutant {
	return slices.Concat(idServerMutants(), idClientMutants())
}

func idServerMutants() []Mutant {
	return []Mutant{{
		Name: string(ignoresIDZero), defect: ignoresIDZero, Side: history.Server, Scenario: "id-twins",
		Doc:    "takes the id 0 for none, and ignores its cancel: CANCEL-STOP-WORK",
		Legacy: []string{"CANCEL-NO-RESPONSE", "CANCEL-STOP-WORK"},
		Modern: []string{"CANCEL-SILENCE", "CANCEL-STOP-WORK"},
	}, {
		Name: string(confusesTwins), defect: confusesTwins, Side: history.Server, Scenario: "id-twins",
		Doc:    "takes 7 and \"7\" for one id, and cancels the other of the two: CANCEL-RIGHT-CALL",
		Legacy: []string{"CANCEL-NO-RESPONSE", "CANCEL-RIGHT-CALL", "CANCEL-STOP-WORK"},
		Modern: []string{"CANCEL-RIGHT-CALL", "CANCEL-SILENCE", "CANCEL-STOP-WORK"},
	}, {
		Name: string(idsAsFloats), defect: idsAsFloats, Side: history.Server, Scenario: "id-twins",
		Doc:    "compares ids as 64-bit floats, where neighbours above 2^53 are one: CANCEL-RIGHT-CALL",
		Legacy: []string{"CANCEL-NO-RESPONSE", "CANCEL-RIGHT-CALL", "CANCEL-STOP-WORK"},
		Modern: []string{"CANCEL-RIGHT-CALL", "CANCEL-SILENCE", "CANCEL-STOP-WORK"},
	}, {
		Name: string(crossesAnswers), defect: crossesAnswers, Side: history.Server, Scenario: "id-twins",
		Doc:    "crosses the answers to 7 and \"7\" when both are in flight: ANSWER-OWN",
		Legacy: []string{"ANSWER-OWN"},
		Modern: []string{"ANSWER-OWN"},
	}, {
		Name: string(staleCancelHits), defect: staleCancelHits, Side: history.Server, Scenario: "id-reuse",
		Doc:    "keeps a cancel that came too late, and drops the next request with that id: CANCEL-RIGHT-CALL; no defect before 2026-07-28, where no id may be used again",
		Modern: []string{"CANCEL-RIGHT-CALL"},
	}, {
		Name: string(cancelsNeighbour), defect: cancelsNeighbour, Side: history.Server,
		Doc:    "tells another handler, too, when a call is cancelled: RACE-GRACEFUL",
		Legacy: []string{"RACE-GRACEFUL"},
		Modern: []string{"RACE-GRACEFUL"},
	}, {
		Name: string(registersLate), defect: registersLate, Side: history.Server, Scenario: "back-to-back",
		Doc:    "loses a cancel that is read within 100 µs of its request: CANCEL-STOP-WORK",
		Legacy: []string{"CANCEL-NO-RESPONSE", "CANCEL-STOP-WORK", "PROGRESS-AFTER-CANCEL"},
		Modern: []string{"CANCEL-SILENCE", "CANCEL-STOP-WORK"},
	}, {
		Name: string(answersCancel), defect: answersCancel, Side: history.Server, Scenario: "malformed-cancels",
		Doc:    "answers a cancel that names no call of its: CANCEL-NO-REPLY",
		Legacy: []string{"CANCEL-NO-REPLY"},
		Modern: []string{"CANCEL-NO-REPLY"},
	}, {
		Name: string(diesOnMalformed), defect: diesOnMalformed, Side: history.Server, Scenario: "malformed-cancels",
		Doc:    "closes the session when the requestId of a cancel is missing, or neither a string nor a number: CANCEL-INVALID-IGNORED",
		Legacy: []string{"CANCEL-INVALID-IGNORED"},
		Modern: []string{"CANCEL-INVALID-IGNORED"},
	}, {
		Name: string(diesOnRepeat), defect: diesOnRepeat, Side: history.Server, Scenario: "duplicate-cancel",
		Doc:    "closes the session when a call is cancelled a second time: RACE-GRACEFUL",
		Legacy: []string{"RACE-GRACEFUL"},
		Modern: []string{"RACE-GRACEFUL"},
	}}
}

func idClientMutants() []Mutant {
	return []Mutant{{
		Name: string(diesOnStrayAnswer), defect: diesOnStrayAnswer, Side: history.Client, Scenario: "unruly-server",
		Doc:    "closes the session when an answer comes to an id that it never used: SESSION-SURVIVES",
		Legacy: []string{"SESSION-SURVIVES"},
		Modern: []string{"SESSION-SURVIVES"},
	}, {
		Name: string(takesForeign), defect: takesForeign, Side: history.Client, Scenario: "unruly-server",
		Doc:    "takes the answer to \"7\" for that to 7: ANSWER-OWN",
		Legacy: []string{"ANSWER-OWN"},
		Modern: []string{"ANSWER-OWN"},
	}, {
		Name: string(diesOnProgress), defect: diesOnProgress, Side: history.Client, Scenario: "unruly-server",
		Doc:    "closes the session when progress comes under a token that it does not know, or not any more: SESSION-SURVIVES, and RACE-GRACEFUL where it was in transit",
		Legacy: []string{"RACE-GRACEFUL", "SESSION-SURVIVES"},
		Modern: []string{"RACE-GRACEFUL", "SESSION-SURVIVES"},
	}, {
		Name: string(heedsServerCancel), defect: heedsServerCancel, Side: history.Client, Scenario: "unruly-server",
		Doc:    "takes the server's cancel for one of its own call with that id: CANCEL-RIGHT-CALL",
		Legacy: []string{"CANCEL-RIGHT-CALL"},
		Modern: []string{"CANCEL-RIGHT-CALL"},
	}}
}

// heeded returns the id that the server takes a cancel of id to mean; empty: it
// takes no notice. The caller holds mu.
func (n *session) heeded(id string) string {
	switch n.defect {
	case ignoresIDZero:
		if id == "0" {
			return ""
		}
	case confusesTwins:
		if twin := twinOf(id); id != "" && n.inflight[twin] != nil {
			return twin
		}
	case idsAsFloats:
		for _, other := range slices.Sorted(maps.Keys(n.inflight)) {
			if other != id && asFloat(other) != 0 && asFloat(other) == asFloat(id) {
				return other
			}
		}
	case registersLate:
		if c := n.inflight[id]; c != nil && time.Since(c.born) < registration {
			return ""
		}
	}
	return id
}

// registration is how long the server that registers late takes for it.
const registration = 100 * time.Microsecond

// asFloat returns what becomes of a whole number as a 64-bit float; 0 of others.
func asFloat(id string) float64 {
	if strings.HasPrefix(id, `"`) {
		return 0
	}
	x, err := strconv.ParseFloat(id, 64)
	if err != nil {
		return 0
	}
	return x
}

// neighbour returns a call other than c that is in flight and can be cancelled, for
// the server that hits those.
func (n *session) neighbour(c *call) *call {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(n.inflight)) {
		if other := n.inflight[id]; other != c && !other.fixed {
			return other
		}
	}
	return nil
}

// readdress returns the frame that answers c as it goes out.
func (n *session) readdress(c *call, frame []byte) []byte {
	if n.defect != crossesAnswers {
		return frame
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if twin := n.inflight[twinOf(c.id)]; c.answerAs == "" && twin != nil && twin.answerAs == "" {
		c.answerAs, twin.answerAs = twin.id, c.id
	}
	if c.answerAs == "" {
		return frame
	}
	return bytes.Replace(frame, []byte(`"id":`+c.id), []byte(`"id":`+c.answerAs), 1)
}

// strayed acts in the server's reader on a cancel that has hit nothing.
func (n *session) strayed(m *history.Message) {
	switch {
	case n.defect == answersCancel:
		n.complain(n.lane, protocol.RPCError{Code: protocol.InvalidParams, Message: "the cancel names no request"})
	case n.defect == diesOnMalformed && !proper(m.Ref):
		n.end(errors.New("a cancel is malformed"))
	case n.defect == staleCancelHits && m.Ref != "":
		n.kept[m.Ref] = true
	case n.defect == diesOnRepeat && n.kept[m.Ref]:
		n.end(errors.New("request " + m.Ref + " is cancelled a second time"))
	}
}

// hit acts in the server's reader on a cancel that has closed c.
func (n *session) hit(c *call) {
	switch n.defect {
	case cancelsNeighbour:
		if other := n.neighbour(c); other != nil {
			other.tell()
		}
	case diesOnRepeat:
		n.kept[c.id] = true
	}
}

// begun acts in the server's reader on a request that has been registered.
func (n *session) begun(c *call) {
	if n.defect == staleCancelHits && n.kept[c.id] {
		delete(n.kept, c.id)
		if n.forget(c.id) != nil {
			c.tell()
		}
	}
}

// waiterFor returns who waits for an answer with that id, or nil. The caller holds
// mu.
func (l *link) waiterFor(id string) *waiter {
	w := l.waiting[id]
	if w == nil && l.defect == takesForeign && id != "" {
		w = l.waiting[twinOf(id)]
	}
	return w
}

// afterProgress runs in the client's reader.
func (l *link) afterProgress(m *history.Message) error {
	if l.defect != diesOnProgress {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.waiting {
		if protocol.Identify(w.line).Token == m.Token {
			return nil
		}
	}
	return errors.New("nobody waits for progress under " + m.Token)
}

// afterServerCancel runs in the client's reader, for a cancel that no request of the
// client's is to be stopped by. What the server has asked for is stopped by
// [link.retracted].
func (l *link) afterServerCancel(m *history.Message) error {
	if l.defect != heedsServerCancel {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if w := l.waiting[m.Ref]; w != nil && l.drop(w) {
		w.reply <- &history.Message{Kind: history.ErrorReply, ID: m.Ref, Code: protocol.InternalError, Text: "cancelled by the server"}
	}
	return nil
}

// everUsed reports whether the client that dies of others has used the id.
func (l *link) everUsed(id string) bool {
	n, err := strconv.ParseInt(id, 10, 64)
	return err == nil && n > 0 && n <= l.lastID
}
