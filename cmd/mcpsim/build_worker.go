package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mcpsim/mcpsim/sim/engine"
)

// buildWorker builds the worker, or finds it up to date, and says so on stderr before it
// takes long.
func buildWorker(ctx context.Context, recipe engine.Recipe, stderr io.Writer) (engine.Worker, error) {
	word := &firstWord{out: stderr}
	late := time.AfterFunc(silentBuild, func() {
		word.unlessSaid("building the worker: what it is made of has changed, or has to be compared")
	})
	w, err := engine.Build(ctx, recipe, word.say)
	late.Stop()
	word.end()
	var unfit *engine.RecipeError
	if errors.As(err, &unfit) {
		return engine.Worker{}, usage(err)
	}
	if err != nil {
		return engine.Worker{}, failed(err)
	}
	if w.Caveat != "" {
		fmt.Fprintln(stderr, "note:", w.Caveat)
	}
	return w, nil
}

// silentBuild is how long a build may take before there is a word about it: one that
// nothing announces is expected to find all up to date.
const silentBuild = 2 * time.Second

// A firstWord passes lines on, and one more if nothing has been said by then.
type firstWord struct {
	out io.Writer

	mu   sync.Mutex // guards what follows, and out
	said bool
}

func (f *firstWord) say(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.said = true
	fmt.Fprintln(f.out, line)
}

func (f *firstWord) unlessSaid(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.said {
		f.said = true
		fmt.Fprintln(f.out, line)
	}
}

// end lets nothing more be said that nobody asked for.
func (f *firstWord) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.said = true
}
