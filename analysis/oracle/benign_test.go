package oracle

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A benign race is one of the crossings that must never be counted, as a history
// that has it, and what makes a breach of it.
//
// Where stdio can show the race the history is a recording: testdata/recorded has
// it, beside the scenario that shows it, and its header tells the targets, the
// protocol version and the seed. The others are written by hand, and -update writes
// them down.
type benign struct {
	race      string // its number, and the name of its file
	why       string
	scenario  string     // it is a recording of that
	script    script     // or this
	web       *webScript // or this, over HTTP
	order     []string   // the events that make the race
	rule      string     // what looks broken
	uncounted string     // under which the rule puts it down; empty: it does not
	call      int
	phase     Phase

	breach string         // what makes a breach of it; empty: there is no oracle yet that could tell
	edit   func(s *scene) // makes it
	fails  string
}

func benignRaces() []benign {
	return append(recordedRaces(), writtenRaces()...)
}

func recordedRaces() []benign {
	return []benign{{
		race: "R1", why: "the response was written before the cancel was read, and read after it was written", scenario: "response-before",
		order: []string{"server write reply 1", "client write cancel 1", "server read cancel 1", "client read reply 1"},
		rule:  "CANCEL-SILENCE", uncounted: whyResponseBefore, call: 1, phase: Crossing,
		breach: "a second response, once the cancel has been read",
		edit:   func(s *scene) { s.put(s.at("server read cancel 1"), time.Millisecond, s.answer(1)...) },
		fails:  "RESP-ONCE",
	}, {
		race: "R2", why: "the handler had ended, and its response waited for the network to take another one", scenario: "handler-over",
		order: []string{"server write reply 3", "server end 2", "server read cancel 2", "server wrote reply 3", "server write reply 2"},
		rule:  "CANCEL-NO-RESPONSE", uncounted: whyHandlerOver, call: 2, phase: Returned,
		breach: "a handler that ends once the cancel has been read",
		edit:   func(s *scene) { s.move("server end 2", "server read cancel 2", time.Millisecond) },
		fails:  "CANCEL-NO-RESPONSE CANCEL-STOP-WORK",
	}, {
		race: "R3", why: "the client had read the response when the network took the cancel", scenario: "already-answered",
		order: []string{"client cancel 2", "client read reply 2", "client write cancel 2", "server read cancel 2"},
		rule:  "CANCEL-ONLY-ISSUED", uncounted: whyResponseRead, call: 2, phase: AfterResponse,
		breach: "a cancel of an id that nobody had used",
		edit:   func(s *scene) { s.event("client write cancel 2").Msg.Ref = `"no such"` },
		fails:  "CANCEL-ONLY-ISSUED",
	}, {
		race: "R5", why: "the response reaches the client after its cancel, and is ignored", scenario: "response-before",
		order: []string{"client cancel 1", "client return 1", "client write cancel 1", "server read cancel 1", "client read reply 1"},
		rule:  "LATE-IGNORED", call: 1, phase: Crossing,
		breach: "a caller who is given the late value",
		edit: func(s *scene) {
			s.move("client return 1", "client read reply 1", 0)
			r := s.event("client return 1")
			r.Text, r.Value = "", s.event("server end 1").Value
		},
		fails: "LATE-IGNORED",
	}, {
		race: "R6", why: "the second cancel finds a call that has been cancelled", scenario: "duplicate-cancels",
		order: []string{"client write cancel 1", "client write cancel 1 #2", "server read cancel 1", "server end 1", "server read cancel 1 #2"},
		rule:  "CANCEL-ONLY-ISSUED", uncounted: whyRepeated, call: 1, phase: Running,
		breach: "a server that answers the second",
		edit:   func(s *scene) { s.put(s.at("server read cancel 1 #2"), 0, s.answer(1)...) },
		fails:  "(CANCEL-NO-RESPONSE) CANCEL-SILENCE",
	}, {
		race: "R7", why: "the application closes the client while a cancel is under way", scenario: "cancel-and-close",
		order: []string{"client write cancel 1", "client close", "client hangup", "server read cancel 1", "server eof", "client closed"},
		rule:  "CANCEL-STDIO-REQUIRED", call: 1, phase: Running,
		breach: "the session's end without anybody's having asked for it",
		edit:   func(s *scene) { s.move("client close", "client hangup", 0) },
		fails:  "RACE-GRACEFUL (SESSION-SURVIVES)",
	}, {
		race: "R8", why: "progress was written before the cancel was read, and read after it was written", scenario: "progress-in-transit",
		order: []string{"client write cancel 1", "server write progress 1", "server read cancel 1", "client read progress 1"},
		rule:  "PROGRESS-AFTER-CANCEL", uncounted: whyProgressBefore, call: 1, phase: Running,
		breach: "more progress, once the handler has been told",
		edit:   func(s *scene) { s.put(s.at("server told 1"), 0, s.progress(1)...) },
		fails:  "PROGRESS-AFTER-CANCEL",
	}, {
		race: "R13", why: "a tool that was told runs on by itself, and nothing is sent for it", scenario: "stubborn-tool",
		order: []string{"server read cancel 1", "server told 1", "server effect 1", "server end 1"},
		rule:  "CANCEL-STOP-WORK", call: 1, phase: Running,
		breach: "a tool that was not told",
		edit:   func(s *scene) { s.drop("server told 1") },
		fails:  "CANCEL-STOP-WORK",
	}, {
		race: "R14", why: "a cancel and the end of its handler meet inside the server, in one instant", scenario: "inside-the-server",
		order: []string{"server read request 3", "server read cancel 3", "server start 3", "server end 3", "server write reply 3"},
		rule:  "CANCEL-SILENCE", uncounted: whySameInstant, call: 3, phase: Queued,
		breach: "a handler that had been told",
		edit: func(s *scene) {
			s.put(s.at("server start 3"), 0, history.Event{Side: history.Server, Kind: history.Told, Call: 3})
		},
		fails: "(CANCEL-NO-RESPONSE) CANCEL-SILENCE",
	}, {
		race: "R18", why: "the question who is there is given up, and its answer is under way", scenario: "discover-cancelled",
		order: []string{"server write reply 1", "client write cancel 1", "server read cancel 1", "client read reply 1"},
		rule:  "CANCEL-SILENCE", uncounted: whyResponseBefore, call: 1, phase: Crossing,
		breach: "a response that begins after the cancel was read",
		edit: func(s *scene) {
			s.move("server write reply 1", "server read cancel 1", time.Millisecond)
			s.move("server wrote reply 1", "server write reply 1", 0)
		},
		fails: "(CANCEL-NO-RESPONSE) CANCEL-SILENCE",
	}}
}

// writtenRaces are those that stdio cannot show, or that need what the simulator
// does not do yet.
func writtenRaces() []benign {
	return append(webRaces(), taskRaces()...)
}

// webRaces are those of HTTP.
func webRaces() []benign {
	legacy := func(text string) *webScript { s := legacyWeb(text); return &s }
	modern := func(text string) *webScript { s := modernWeb(text); return &s }
	two := legacyWeb(`10 client issue 1; > call 1; issue 2; > call 2
		12 server < call 2; start 2
		14 client cancel 1; > cancel 1; return 1 canceled
		16 server < cancel 1
		18 server < call 1; start 1
		40 server end 1 "done 1"; > result 1
		42 server end 2 "done 2"; > result 2
		50 client < result 1; < result 2; return 2 "done 2"`).tools("cooperative", "cooperative")
	return []benign{{
		race: "R4", why: "two POSTs: the cancel overtakes its request, which the server then runs in full", web: &two,
		order: []string{"client write request 1", "client write cancel 1", "server read cancel 1", "server read request 1", "server write reply 1"},
		rule:  "CANCEL-NO-RESPONSE", uncounted: whyPremature, call: 1, phase: BeforeRequest,
		breach: "a cancel of an unknown id that hits another request",
		edit: func(s *scene) {
			s.put(s.at("server read cancel 1"), 0, history.Event{Side: history.Server, Kind: history.Told, Call: 2, Text: "context canceled"})
		},
		fails: "RACE-GRACEFUL (NO-SPURIOUS-CANCEL)",
	}, {
		race: "R10", why: "the server writes into a stream that the client has closed, before it can see that",
		web: modern(webRunning + `30 client cancel 1; drop call 1; return 1 canceled
			31 server progress 1 "1"; >> progress 1; .failed
			34 server gone call 1; told 1; end 1 canceled; finish call 1`),
		order: []string{"client drop", "server write progress 1", "server gone", "server told 1", "server end 1"},
		rule:  "CANCEL-SILENCE", call: 1, phase: Running,
		breach: "the same, once it has seen that",
		edit:   func(s *scene) { s.put(s.at("server told 1"), 0, s.progress(1)...) },
		fails:  "CANCEL-SILENCE (PROGRESS-AFTER-CANCEL)",
	}, {
		race: "R11", why: "the stream breaks, which is no cancel: the response is sent again on the resumed one",
		web: legacy(webRunning + `30 server > progress 1 # e1
			35 client < progress 1 # e1
			55 world fault call 1 cut
			56 client finish call 1 reset; open again after e1
			57 server gone call 1
			60 server end 1 "done 1"; >> result 1 # e2; .failed; finish call 1
			80 server serve again; > result 1 on again # e2
			90 client < result 1 on again # e2; return 1 "done 1"`),
		order: []string{"server gone", "server end 1", "server write reply 1", "server write reply 1 #2", "client return 1"},
		rule:  "HTTP-NO-BROADCAST", uncounted: whyResumed, call: 1,
		breach: "the same on a stream that resumes none",
		edit:   func(s *scene) { s.event("client begin #4").HTTP.LastEvent = "" },
		fails:  "HTTP-RESP-STREAM HTTP-EVENT-ID",
	}, {
		race: "R12", why: "the stream of a cancelled POST is ended by an error: no response and a stream that ends cannot both be had",
		web: legacy(webRunning + `30 client cancel 1; > cancel 1; return 1 canceled
			40 server < cancel 1; told 1; end 1 canceled
			45 server > error 1
			50 client < error 1`),
		order: []string{"client write cancel 1", "server read cancel 1", "server told 1", "server write reply 1"},
		rule:  "CANCEL-NO-RESPONSE", uncounted: whyOnlyTold, call: 1, phase: Running,
		breach: "a stream that is closed, of a call that nobody had cancelled",
		edit: func(s *scene) {
			s.h.Header.SpecVersion = "2025-06-18"
			for _, name := range []string{"client cancel 1", "client write cancel 1", "client wrote cancel 1", "server read cancel 1", "server told 1", "server write reply 1", "server wrote reply 1", "client read reply 1"} {
				s.drop(name)
			}
		},
		fails: "HTTP-NO-EARLY-CLOSE",
	}, {
		race: "R17", why: "a client POSTs a cancel besides closing the stream, and is told 202 or 4xx: no response either way",
		web: modern(webRunning + `30 client cancel 1; > cancel 1; drop call 1; return 1 canceled
			40 server gone call 1; told 1; end 1 canceled; finish call 1; < cancel 1`),
		order: []string{"client write cancel 1", "server gone", "server told 1", "server read cancel 1"},
		rule:  "CANCEL-HTTP-CLOSE", uncounted: whyPosted, call: 1, phase: Running,
		breach: "it does not close the stream",
		edit: func(s *scene) {
			s.drop("client drop")
			s.drop("server gone")
			s.move("client return 1", "client write cancel 1", 0)
		},
		fails: "CANCEL-HTTP-CLOSE",
	}}
}

// taskRaces are those of tasks and of what servers ask.
func taskRaces() []benign {
	legacy := func(s script) script { s.version = legacyVersion; return s }
	modern := func(s script) script { s.version = modernVersion; return s }
	return []benign{{
		race: "R9", why: "the cancel of tools/call crosses the result that says that it has become a task",
		script: legacy(script{text: `10 client issue 1; > augmented 1
			20 server < augmented 1; start 1; > tasked 1
			22 client cancel 1; > cancel 1; return 1 canceled
			30 server < cancel 1
			32 client < tasked 1; > abandon 1
			34 server < abandon 1; told 1; end 1 canceled; > abandoned 1
			40 client < abandoned 1`}),
		order: []string{"server write reply 1", "client write cancel 1", "server read cancel 1", "client read reply 1", "client write request 1 #2", "server told 1"},
		rule:  "CANCEL-NO-RESPONSE", uncounted: whyResponseBefore, call: 1, phase: Crossing,
		breach: "a task that is announced once the cancel has been read",
		edit: func(s *scene) {
			s.move("server write reply 1", "server read cancel 1", time.Millisecond)
			s.move("server wrote reply 1", "server write reply 1", 0)
		},
		fails: "CANCEL-NO-RESPONSE CANCEL-STOP-WORK",
	}, {
		race: "R15", why: "a task completes although tasks/cancel was acknowledged, which only asks for it",
		script: modern(script{text: `10 client issue 1; > augmented 1
			20 server < augmented 1; start 1; > tasked 1
			30 client < tasked 1; return 1; > abandon 1
			40 server < abandon 1; > abandoned 1
			60 server end 1 "done 1"
			70 client < abandoned 1`}),
		order: []string{"client write request 1 #2", "server read request 1 #2", "server write reply 1 #2", "server end 1"},
		rule:  "CANCEL-STOP-WORK", call: 1,
		breach: "a second answer to the call, when the task completes",
		edit:   func(s *scene) { s.put(s.at("server end 1"), 0, s.answer(1)...) },
		fails:  "RESP-ONCE",
	}, {
		race: "R16", why: "the server gives up a request of its own under a cancelled call, and the client's answer crosses that",
		script: legacy(script{text: `10 client issue 1; > call 1
			20 server < call 1; start 1; > nested 1
			28 client cancel 1; > cancel 1; return 1 canceled
			30 client < nested 1; > completed 1
			36 server < cancel 1; told 1; > cancel id 711; end 1 canceled
			40 client < cancel id 711
			41 server < completed 1`}),
		order: []string{"client write reply 1", "server read cancel 1", "server write cancel", "client read cancel", "server read reply 1"},
		rule:  "CANCEL-ONLY-ISSUED", call: 1, phase: Running,
		breach: "a client that answers twice",
		edit: func(s *scene) {
			again := s.write(history.Client, 0, *s.event("client write reply 1").Msg)
			s.put(s.at("client read cancel"), time.Millisecond, again...)
		},
		fails: "RESP-ONCE",
	}}
}

func (b benign) file() string {
	if b.scenario != "" {
		return filepath.Join("testdata", "recorded", b.race+".ndjson")
	}
	return filepath.Join("testdata", "written", b.race+".ndjson")
}

func (b benign) written(t *testing.T) *history.History {
	h := b.script.history(t)
	if b.web != nil {
		h = b.web.history(t)
	}
	h.Header.Scenario = "written by hand"
	return h
}

func (b benign) read(t *testing.T) *history.History {
	if b.scenario == "" && *update {
		require.NoError(t, history.WriteFile(b.file(), b.written(t)))
	}
	h, err := history.ReadFile(b.file())
	require.NoError(t, err, "run the test with -update after a change of the scripts")
	if b.scenario == "" {
		require.Equal(t, -1, history.FirstDifference(b.written(t).Events, h.Events), "the file is the script's")
	} else {
		require.Equal(t, b.scenario, h.Header.Scenario)
		require.FileExists(t, filepath.Join("testdata", "recorded", b.scenario+".yaml"))
	}
	return h
}

func TestBenignRacesAreNeverCounted(t *testing.T) {
	for _, b := range benignRaces() {
		t.Run(b.race, func(t *testing.T) {
			h := b.read(t)
			stage(t, h).order(b.order...)
			j := Judge(h)
			requireSound(t, h, j)
			assert.Empty(t, failing(j), b.why)
			assert.Equal(t, b.phase, j.Calls[b.call-1].Phase)
			b.requireUncounted(t, j)
		})
	}
}

// requireUncounted holds that the race is seen and put down under its name.
func (b benign) requireUncounted(t *testing.T, j Judgement) {
	v := verdictOf(t, j, b.rule)
	for _, u := range v.Uncounted {
		if u.Why == b.uncounted {
			return
		}
	}
	if b.uncounted != "" {
		t.Errorf("%s does not mention %q, but %v", b.rule, b.uncounted, v.Uncounted)
	}
}

// One act more, and the race is a breach.
func TestBenignRacesHaveTeeth(t *testing.T) {
	for _, b := range benignRaces() {
		if b.breach == "" {
			continue
		}
		t.Run(b.race, func(t *testing.T) {
			s := stage(t, b.read(t))
			b.edit(s)
			j := Judge(s.h)
			requireSound(t, s.h, j)
			assert.Equal(t, b.fails, failing(j), b.breach)
		})
	}
}

// All eighteen are there, each once.
func TestBenignRacesAreComplete(t *testing.T) {
	seen := map[string]int{}
	for _, b := range benignRaces() {
		seen[b.race]++
	}
	assert.Len(t, seen, 18)
	for race, n := range seen {
		assert.Equal(t, 1, n, race)
	}
}
