package spacetime

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

var update = flag.Bool("update", false, "write testdata anew")

// golden compares text with a file below testdata.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), text, "%s; to accept: go test ./analysis/spacetime -update", path)
}

// A world is one hand-made history and the violation to look at.
type world struct {
	name string
	make func() (*builder, oracle.Violation)
}

var worlds = []world{
	{"checkpoint", checkpointLate},
	{"same-instant", sameInstant},
	{"crossing", benign},
	{"answered-twice", answeredTwice},
	{"unread", unreadCancel},
	{"hang", hang},
	{"crash", crash},
	{"leak", leak},
	{"dropped", dropped},
	{"stranded", stranded},
	{"chatter", chatter},
	{"overlapping", overlapping},
	{"crowded", crowded},
	{"http-legacy", httpLegacy},
	{"http-modern", httpModern},
	{"http-quiet", httpQuiet},
	{"http-resumed", httpResumed},
	{"http-refused", httpRefused},
	{"http-proxied", httpProxied},
	{"http-overtaken", httpOvertaken},
	{"http-clients", httpClients},
}

func TestRender(t *testing.T) {
	for _, tt := range []struct {
		name, world string
		why         string
		opts        Options
		anonymous   bool // do not name the violation
	}{
		{name: "checkpoint", world: "checkpoint", why: "late by the clock"},
		{name: "checkpoint-wire", world: "checkpoint", opts: Options{Wire: true}, why: "each frame's JSON under its arrow"},
		{name: "checkpoint-ascii", world: "checkpoint", opts: Options{ASCII: true, Wire: true, Width: 80}, why: "a narrow terminal without UTF-8"},
		{name: "checkpoint-colour", world: "checkpoint", opts: Options{Colour: true}, why: "escapes around the same text"},
		{name: "same-instant", world: "same-instant", why: "late by order only"},
		{name: "same-instant-anonymous", world: "same-instant", anonymous: true, why: "without a finding the rule is the mark"},
		{name: "crossing", world: "crossing", anonymous: true, why: "benign: nothing in the margin accuses"},
		{name: "answered-twice", world: "answered-twice", why: "two frames of one direction in flight"},
		{name: "answered-twice-anonymous", world: "answered-twice", anonymous: true, why: "two rules broken by two frames"},
		{name: "unread", world: "unread", opts: Options{Call: 1}, anonymous: true, why: "a cancel lay there; arrival and reading are apart"},
		{name: "unread-all", world: "unread", anonymous: true, why: "two frames in one read, and one never read"},
		{name: "hang", world: "hang", why: "who still waits at the horizon"},
		{name: "hang-all", world: "hang", opts: Options{All: true}, why: "lost frames and unread frames at the end"},
		{name: "crash", world: "crash", why: "the report's first line, its stack folded"},
		{name: "leak", world: "leak", why: "a violation without a call"},
		{name: "dropped", world: "dropped", why: "the half that the scenario cut, and what followed"},
		{name: "stranded", world: "stranded", why: "a death that a call's own listing has to tell"},
		{name: "chatter", world: "chatter", why: "progress folded, but for the frame that convicts"},
		{name: "chatter-all", world: "chatter", opts: Options{All: true}, why: "progress in full"},
		{name: "overlapping", world: "overlapping", opts: Options{All: true}, why: "several arrows at once"},
		{name: "overlapping-one", world: "overlapping", why: "one of them alone"},
		{name: "crowded", world: "crowded", anonymous: true, why: "more frames than lanes, damaged frames, a dead session"},
		{name: "http-legacy", world: "http-legacy", why: "a disconnect that is no cancel, and a cancel that is posted"},
		{name: "http-modern", world: "http-modern", why: "the closing of the stream is the cancel; an answer into it"},
		{name: "http-modern-ascii", world: "http-modern", opts: Options{ASCII: true, Width: 80, All: true}, why: "dotted without UTF-8"},
		{name: "http-quiet", world: "http-quiet", opts: Options{All: true}, anonymous: true, why: "as short as over stdio: what was dropped after its answer is no news"},
		{name: "http-resumed", world: "http-resumed", anonymous: true, why: "cut in the middle of an event, and gone on with behind the last whole one"},
		{name: "http-refused", world: "http-refused", anonymous: true, why: "a 404, whose body says why"},
		{name: "http-proxied", world: "http-proxied", opts: Options{All: true}, anonymous: true, why: "answers that are not the server's"},
		{name: "http-overtaken", world: "http-overtaken", opts: Options{Call: 1}, anonymous: true, why: "a cancel that came before its request, to another server"},
		{name: "http-clients", world: "http-clients", why: "one of several clients"},
		{name: "http-clients-nine", world: "http-clients", opts: Options{Client: 9}, why: "one client's, and the evidence, which is another's"},
		{name: "http-clients-own", world: "http-clients", opts: Options{Client: 4}, anonymous: true, why: "one client's alone"},
		{name: "http-clients-default", world: "http-clients", anonymous: true, why: "the first, where nothing is asked for"},
		{name: "http-clients-all", world: "http-clients", opts: Options{All: true}, why: "all of them, by number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, v := find(t, tt.world)()
			if !tt.anonymous {
				tt.opts.Finding = Finding{ID: "F1", Violation: v}
			}
			golden(t, tt.name, Render(b.h, b.j, tt.opts))
		})
	}
}

func TestStory(t *testing.T) {
	for _, w := range worlds {
		t.Run(w.name, func(t *testing.T) {
			b, v := w.make()
			golden(t, "story-"+w.name, Story(b.h, b.j, v.Call, v))
		})
	}
}

func find(t *testing.T, name string) func() (*builder, oracle.Violation) {
	t.Helper()
	for _, w := range worlds {
		if w.name == name {
			return w.make
		}
	}
	require.FailNow(t, "no such world", name)
	return nil
}
