package engine

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/lease"
)

// TestMain lets this test binary be a worker, under names that say which.
func TestMain(m *testing.M) {
	if name, ok := strings.CutPrefix(filepath.Base(os.Args[0]), fakePrefix); ok {
		if err := fakeWorker(name); err != nil {
			fmt.Fprintln(os.Stderr, "fake worker:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const fakePrefix = "fake-worker-"

// The fake workers, by how they greet.
const (
	polite = "polite" // as it should be
	silent = "silent" // not at all, and ends
	rude   = "rude"   // with a frame that is no greeting
	vague  = "vague"  // with a greeting that is no JSON
	stale  = "stale"  // as a worker of another mcpsim
	awake  = "awake"  // as one whose clock is the wall's
	stuck  = "stuck"  // not at all, for an init function of its goes round and round
)

// fake is a worker that is this test binary under another name.
func fake(t *testing.T, how string) Worker {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), fakePrefix+how)
	require.NoError(t, os.Symlink(self, path))
	return Worker{Path: path}
}

func fakeWorker(how string) error {
	in, out := os.NewFile(lease.InFD, "in"), os.NewFile(lease.OutFD, "out")
	if err := debug.SetCrashOutput(os.NewFile(lease.CrashFD, "crash"), debug.CrashOptions{}); err != nil {
		return err
	}
	switch how {
	case stuck:
		for how == stuck {
			_ = how
		}
	case silent:
		return fmt.Errorf("the disk is on fire")
	case rude:
		return lease.Write(out, lease.KindReply, []byte("what?"))
	case vague:
		return lease.Write(out, lease.KindHello, []byte("{"))
	}
	hello := lease.Hello{Protocol: lease.Protocol, Virtual: how != awake, Seeded: true}
	if how == stale {
		hello.Protocol--
	}
	return lease.Serve(in, out, hello, &faker{out: out})
}

// The fake worlds, by what they do to their worker. A lease's SpecVersion names
// one, since nobody else reads it here.
const (
	fine       = "fine"
	dirty      = "dirty"       // leaves something behind
	refused    = "refused"     // cannot be run
	panics     = "panics"      // after two events
	panicsOnce = "panics-once" // and not again
	exits      = "exits"       // with a code of its own
	leaves     = "leaves"      // with code 0, and no reply
	spins      = "spins"       // for ever
	babbles    = "babbles"     // sends a frame of no kind
	hollow     = "hollow"      // sends a reply without content
	breaksOff  = "breaks-off"  // in the middle of a frame
	boasts     = "boasts"      // announces a frame of four gigabytes
)

// A faker runs fake worlds. The setup's scenario is a directory, in which
// panicsOnce remembers that it did, and spins tells that it has begun.
type faker struct {
	out    io.Writer
	dir    string
	events func([]byte) error
}

func (f *faker) Setup(s lease.Setup, events func([]byte) error) error {
	f.dir, f.events = string(s.Scenario), events
	return nil
}

func (f *faker) Run(l lease.Lease) lease.Reply {
	switch l.SpecVersion {
	case dirty:
		return lease.Reply{World: f.world(l), Dirty: true}
	case refused:
		return lease.Reply{Error: "no such world", Dirty: true}
	case panics:
		f.speak("one")
		f.speak("two")
		panic("boom")
	case panicsOnce:
		marker, err := os.OpenFile(filepath.Join(f.dir, fmt.Sprint(l.Seed)), os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			panic(marker.Close())
		}
	case exits:
		os.Exit(7)
	case leaves:
		os.Exit(0)
	case spins:
		must(os.WriteFile(filepath.Join(f.dir, spins), nil, 0o666))
		for {
			f.dir = "" // works hard and gets nowhere
		}
	case babbles:
		must(lease.Write(f.out, '?', []byte("hello?")))
	case hollow:
		must(lease.Write(f.out, lease.KindReply, nil))
	case breaksOff:
		f.raw("\x00\x00\x00\x09rcut")
	case boasts:
		f.raw("\xff\xff\xff\xffr")
	}
	return lease.Reply{World: f.world(l)}
}

// raw sends bytes that are no frame, and ends.
func (f *faker) raw(b string) {
	_, err := io.WriteString(f.out, b)
	must(err)
	os.Exit(0)
}

func (f *faker) world(l lease.Lease) []byte { return fmt.Appendf(nil, "%d", l.Seed) }

func (f *faker) speak(line string) {
	if f.events != nil {
		must(f.events([]byte(line)))
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
