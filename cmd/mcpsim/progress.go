package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// A progress tells, on standard error, how far a run is: a bar on a terminal, a
// line now and then elsewhere. Its methods may be called by several goroutines.
type progress struct {
	out      io.Writer
	total    int  // worlds; 0: not known, since time decides
	controls int  // of total, those of controls
	plain    bool // says nothing of what was found
	start    time.Time

	bars *mpb.Progress // nil where there is no terminal
	bar  *mpb.Bar

	mu       sync.Mutex // guards what follows
	done     int
	findings int
	said     time.Time
	ended    time.Time // when the last world did
}

// lineEvery is the time between two lines where there is no terminal.
const lineEvery = 10 * time.Second

// startProgress begins with so many worlds ahead, of which some are controls.
func startProgress(out io.Writer, total, controls int) *progress {
	return (&progress{out: out, total: total, controls: controls}).begin()
}

// terminal reports whether out is one.
func terminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// begin shows the progress from now on.
func (p *progress) begin() *progress {
	p.start = time.Now()
	p.said, p.ended = p.start, p.start
	out, total := p.out, p.total
	if terminal(out) {
		p.bars = mpb.New(mpb.WithOutput(out), mpb.WithWidth(40))
		p.bar = p.bars.AddBar(int64(total),
			mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(p.counter()),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return p.rate(time.Now()) })))
	}
	return p
}

// counter is how many worlds there have been, of how many if that is known.
func (p *progress) counter() decor.Decorator {
	return decor.Any(func(s decor.Statistics) string { return p.of(int(s.Current)) })
}

// step notes one more world, and how many kinds of finding there are so far.
func (p *progress) step(findings int) {
	p.mu.Lock()
	p.done++
	p.findings, p.ended = findings, time.Now()
	speak := p.bar == nil && p.ended.Sub(p.said) >= lineEvery
	if speak {
		p.said = p.ended
	}
	done := p.done
	p.mu.Unlock()
	if p.bar != nil {
		p.bar.Increment()
	}
	if speak {
		fmt.Fprintf(p.out, "%s, %s\n", p.of(done), p.rate(time.Now()))
	}
}

// of says how many worlds have ended; a report counts those of controls apart.
func (p *progress) of(done int) string {
	if p.total == 0 {
		return plural(done, "world", "worlds")
	}
	if p.controls > 0 {
		return fmt.Sprintf("%d of %d (%s and %d of controls)", done, p.total, plural(p.total-p.controls, "world", "worlds"), p.controls)
	}
	return fmt.Sprintf("%d of %s", done, plural(p.total, "world", "worlds"))
}

// longWorld is how long no world may end before that is told.
const longWorld = 2 * time.Second

// rate is how fast worlds end, what was found in them, and, where none has ended for a
// while, how long that is: a sign of life while a large one runs.
func (p *progress) rate(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	perSecond := float64(p.done) / max(now.Sub(p.start).Seconds(), 0.001)
	speed := fmt.Sprintf("%.0f worlds/s", perSecond)
	if perSecond < 10 {
		speed = fmt.Sprintf("%.1f worlds/s", perSecond)
	}
	words := []string{speed}
	if !p.plain {
		words = append(words, plural(p.findings, "rule broken", "rules broken"))
	}
	if idle := now.Sub(p.ended); idle >= longWorld {
		words = append(words, fmt.Sprintf("the next runs for %.0f s", idle.Seconds()))
	}
	return strings.Join(words, ", ")
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
