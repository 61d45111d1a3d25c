package oracle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

// talks are long conversations: a server that does not answer cancelled calls, as the
// reference, and one that answers them with an error, as many SDKs.
func talks() map[string]func() *longTalk {
	return map[string]func() *longTalk{
		"silent": func() *longTalk { return &longTalk{cancelled: obeyed(), named: plainID} },
		"late":   func() *longTalk { return &longTalk{cancelled: answeredLate(), named: plainID} },
	}
}

// loop runs f, which takes that many events, and reports the events per second, and
// per second of a core: what a busy machine withheld does not count, and the collector
// of garbage does, wherever it runs.
func loop(b *testing.B, events int, f func()) {
	b.ReportAllocs()
	begin, n := processorTime(), 0
	for b.Loop() {
		f()
		n++
	}
	all := float64(n) * float64(events)
	if used := processorTime() - begin; used > 0 {
		b.ReportMetric(all/used.Seconds(), "events/core-s")
	}
	b.ReportMetric(all/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkJudge has all oracles judge histories that are in memory. It runs on one
// core, but for the collector of garbage.
func BenchmarkJudge(b *testing.B) {
	const long = 200_000
	for name, talk := range talks() {
		h := talk().whole(long)
		b.Run("whole/"+name, func(b *testing.B) { benchmarkJudge(b, h) })
		b.Run("events/"+name, func(b *testing.B) {
			loop(b, long, func() {
				s := NewStream(h.Header, func(CallResult) {})
				for i := range h.Events {
					s.Event(&h.Events[i])
				}
				s.Judgement()
			})
		})
	}
}

// BenchmarkJudgeWorld judges worlds as small as those of the catalogue.
func BenchmarkJudgeWorld(b *testing.B) {
	for _, calls := range []int{4, 9} {
		h := wide(b, calls)
		b.Run(fmt.Sprintf("%d-events", len(h.Events)), func(b *testing.B) { benchmarkJudge(b, h) })
	}
}

func benchmarkJudge(b *testing.B, h *history.History) {
	loop(b, len(h.Events), func() { Judge(h) })
}

// BenchmarkDecode reads a history, and has it judged while it is read.
func BenchmarkDecode(b *testing.B) {
	const events = 50_000
	for name, talk := range talks() {
		var text bytes.Buffer
		require.NoError(b, history.Encode(&text, talk().whole(events)))
		for what, judge := range map[string]bool{"alone": false, "and-judge": true} {
			b.Run(what+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(text.Len()))
				loop(b, events, func() { require.NoError(b, read(bytes.NewReader(text.Bytes()), judge)) })
			})
		}
	}
}

// read decodes a history, and judges it.
func read(r io.Reader, judge bool) error {
	d, err := history.NewDecoder(r)
	if err != nil {
		return err
	}
	s := NewStream(d.Header(), func(CallResult) {})
	for {
		e, err := d.Next()
		s.Calls(d.Calls())
		switch {
		case errors.Is(err, io.EOF):
			s.Judgement()
			return nil
		case err != nil:
			return err
		case judge:
			s.Event(&e)
		}
	}
}

// BenchmarkTenMillion judges ten million events as they are made, and reports what is
// reachable then.
func BenchmarkTenMillion(b *testing.B) {
	const events = 10_000_000
	for name, talk := range talks() {
		b.Run(name, func(b *testing.B) {
			live := int64(0)
			loop(b, events, func() {
				streamed(talk(), events, func(s *Stream) {
					live = max(live, liveHeap())
					runtime.KeepAlive(s)
				})
			})
			b.ReportMetric(float64(live)/(1<<20), "MiB-live")
		})
	}
}
