package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// A progress tells, on standard error, how far a run is: a bar on a terminal, a
// line now and then elsewhere. Its methods may be called by several goroutines.
type progress struct {
	out   io.Writer
	total int  // worlds; 0: not known, since time decides
	plain bool // says nothing of what was found
	start time.Time

	bars *mpb.Progress // nil where there is no terminal
	bar  *mpb.Bar

	mu       sync.Mutex // guards what follows
	done     int
	findings int
	said     time.Time
}

// lineEvery is the time between two lines where there is no terminal.
const lineEvery = 10 * time.Second

func startProgress(out io.Writer, total int) *progress {
	return (&progress{out: out, total: total}).begin()
}

// begin shows the progress from now on.
func (p *progress) begin() *progress {
	p.start, p.said = time.Now(), time.Now()
	out, total := p.out, p.total
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		p.bars = mpb.New(mpb.WithOutput(out), mpb.WithWidth(40))
		p.bar = p.bars.AddBar(int64(total),
			mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(p.counter()),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return p.rate() })))
	}
	return p
}

// counter is how many worlds there have been, of how many if that is known.
func (p *progress) counter() decor.Decorator {
	if p.total == 0 {
		return decor.CurrentNoUnit("%d worlds")
	}
	return decor.CountersNoUnit("%d of %d worlds")
}

// step notes one more world, and how many kinds of finding there are so far.
func (p *progress) step(findings int) {
	p.mu.Lock()
	p.done++
	p.findings = findings
	speak := p.bar == nil && time.Since(p.said) >= lineEvery
	if speak {
		p.said = time.Now()
	}
	done := p.done
	p.mu.Unlock()
	if p.bar != nil {
		p.bar.Increment()
	}
	if speak {
		fmt.Fprintf(p.out, "%s, %s\n", p.of(done), p.rate())
	}
}

func (p *progress) of(done int) string {
	if p.total == 0 {
		return plural(done, "world", "worlds")
	}
	return fmt.Sprintf("%d of %d worlds", done, p.total)
}

func (p *progress) rate() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	perSecond := float64(p.done) / max(time.Since(p.start).Seconds(), 0.001)
	if p.plain {
		return fmt.Sprintf("%.0f worlds/s", perSecond)
	}
	return fmt.Sprintf("%.0f worlds/s, %s", perSecond, plural(p.findings, "rule broken", "rules broken"))
}

// stop removes the bar and waits until it is gone.
func (p *progress) stop() {
	if p.bars == nil {
		return
	}
	p.bar.Abort(true)
	p.bars.Wait()
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
