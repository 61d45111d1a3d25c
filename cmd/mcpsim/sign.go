package main

import (
	"fmt"
	"io"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// A sign is a sign of life while something runs whose end nobody knows: one line on a
// terminal, with the seconds that have passed, and nothing elsewhere.
type sign struct {
	bars *mpb.Progress // nil where there is no terminal
	bar  *mpb.Bar
}

// startSign shows what is being done from now on, until it is stopped.
func startSign(out io.Writer, what string) sign {
	if !terminal(out) {
		return sign{}
	}
	start := time.Now()
	bars := mpb.New(mpb.WithOutput(out))
	bar := bars.New(0, mpb.NopStyle(), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return signWords(what, time.Since(start)) })))
	return sign{bars, bar}
}

// signFrom is how long something takes before there is a word about it.
const signFrom = time.Second

func signWords(what string, passed time.Duration) string {
	if passed < signFrom {
		return ""
	}
	return fmt.Sprintf("%s, %.0f s", what, passed.Seconds())
}

// stop removes the line and waits until it is gone.
func (s sign) stop() {
	if s.bars == nil {
		return
	}
	s.bar.Abort(true)
	s.bars.Wait()
}
