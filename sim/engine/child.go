package engine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/mcpsim/mcpsim/sim/lease"
)

// A child is one running worker. One goroutine sends and receives; the
// watchdog is another.
type child struct {
	cmd      *exec.Cmd
	in       *os.File      // leases to the worker
	out      *bufio.Reader // replies from it
	outPipe  *os.File
	crash    *report // what the runtime printed when it died
	stderr   *report // what it printed before it could say so properly
	guard    *watchdog
	hello    lease.Hello
	nonsense error // why what it sent last was no reply; nil as long as all was well
	readers  sync.WaitGroup
}

// start runs the worker and hands it its setup. It blocks until the worker has
// greeted, until the worker has used limit of processor time on that, as an init
// function of a player's may, or until ctx ends, of which it returns the error.
func (w Worker) start(ctx context.Context, setup lease.Setup, limit time.Duration) (*child, error) {
	p := &child{crash: &report{}, stderr: &report{}}
	if err := p.launch(w.Path); err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	p.guard = watch(p.cmd.Process, limit)
	interrupted := context.AfterFunc(ctx, p.kill)
	err := p.greet(setup)
	interrupted()
	if err == nil && ctx.Err() == nil {
		p.guard.progress()
		return p, nil
	}
	d := p.end()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case d.How == howSpins || d.How == howStalls:
		err = fmt.Errorf("%s before it greeted", d.How)
	}
	return nil, fmt.Errorf("start a worker: %w%s", err, indent(d.Report))
}

func (p *child) launch(path string) error {
	var pipes [3][2]*os.File
	for i := range pipes {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		pipes[i] = [2]*os.File{r, w}
	}
	leases, replies, crash := pipes[0], pipes[1], pipes[2]
	p.cmd = exec.Command(path)
	p.cmd.Env = workerEnv()
	p.cmd.ExtraFiles = []*os.File{leases[0], replies[1], crash[1]}
	p.cmd.Stderr = p.stderr
	p.cmd.SysProcAttr = ownGroup()
	err := p.cmd.Start()
	for _, theirs := range p.cmd.ExtraFiles {
		err = errors.Join(err, theirs.Close())
	}
	if err != nil {
		return errors.Join(err, leases[1].Close(), replies[0].Close(), crash[0].Close())
	}
	p.in, p.outPipe, p.out = leases[1], replies[0], bufio.NewReaderSize(replies[0], 1<<16)
	p.readers.Go(func() {
		// The pipe ends with the process; what cannot be read is not reported.
		_, _ = io.Copy(p.crash, crash[0])
		_ = crash[0].Close()
	})
	return nil
}

// workerEnv is all that a worker sees of the environment: nothing that could
// make one machine's worlds differ from another's.
func workerEnv() []string {
	return []string{"GOMAXPROCS=1", "GOTRACEBACK=all", "TZ=UTC", "LANG=C"}
}

func (p *child) greet(setup lease.Setup) error {
	kind, payload, err := lease.Read(p.out)
	if err != nil {
		return fmt.Errorf("it ended before it greeted: %w", err)
	}
	if kind != lease.KindHello {
		return fmt.Errorf("it greeted with a frame of kind %q", byte(kind))
	}
	if err := json.Unmarshal(payload, &p.hello); err != nil {
		return fmt.Errorf("read its greeting: %w", err)
	}
	if !p.hello.Virtual || p.hello.Protocol != lease.Protocol {
		return fmt.Errorf("it is not a worker of this mcpsim (virtual time: %t, protocol %d, not %d); install mcpsim again from the same source",
			p.hello.Virtual, p.hello.Protocol, lease.Protocol)
	}
	return lease.WriteJSON(p.in, lease.KindSetup, setup)
}

func (p *child) send(l lease.Lease) error {
	return lease.WriteJSON(p.in, lease.KindLease, l)
}

// receive blocks until the next reply. Events that come before it go to events.
func (p *child) receive(events func(line []byte)) (reply lease.Reply, err error) {
	defer func() {
		if err != nil && err != io.EOF {
			p.nonsense = err
		}
	}()
	for {
		kind, payload, err := lease.Read(p.out)
		if err != nil {
			return lease.Reply{}, err
		}
		p.guard.progress()
		switch kind {
		case lease.KindReply:
			return lease.DecodeReply(payload)
		case lease.KindEvent:
			if events != nil {
				events(payload)
			}
		default:
			return lease.Reply{}, fmt.Errorf("a frame of unknown kind %q", byte(kind))
		}
	}
}

// end closes the worker's descriptors, waits for it and says how it died. A
// worker that does not go by itself is killed.
func (p *child) end() Death {
	// A worker that has died already has no use for the descriptors.
	_ = p.in.Close()
	timer := time.AfterFunc(exitGrace, func() { _ = p.cmd.Process.Kill() })
	err := p.cmd.Wait()
	timer.Stop()
	_ = p.outPipe.Close()
	p.readers.Wait()
	d := Death{Report: p.crash.String()}
	if d.Report == "" {
		d.Report = withoutPlayback(p.stderr.String())
	}
	d.How = howDied(err, d.Report)
	if p.nonsense != nil && d.Report == "" {
		d.How = "sent what is no reply: " + firstLine(p.nonsense)
	}
	if why := p.guard.stop(); why != "" {
		d.How = why
	}
	return d
}

// exitGrace is how long a worker may take to exit after its lease ended.
const exitGrace = 5 * time.Second

// kill ends the worker now; end still has to be called.
func (p *child) kill() { _ = p.cmd.Process.Kill() }

// A report keeps the first megabyte of what is written to it.
type report struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

const maxReport = 1 << 20

func (r *report) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if room := maxReport - r.buf.Len(); room > 0 {
		r.buf.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}

func (r *report) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.String()
}

// withoutPlayback takes out the headers that the virtual clock puts in front of
// whatever a process writes to its standard error: a magic, the time and the
// length of what follows.
func withoutPlayback(text string) string {
	const magic, header = "\x00\x00PB", 4 + 8 + 4
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, magic)
		out.WriteString(before)
		if !found || len(after) < header-len(magic) {
			return out.String()
		}
		text = after[header-len(magic):]
	}
}

func indent(text string) string {
	if text == "" {
		return ""
	}
	return "\n" + tail(text, 20)
}
