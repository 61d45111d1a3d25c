package oracle

import "testing"

// BenchmarkJudgeHTTP judges a small world over HTTP, of which most is to make the judge.
func BenchmarkJudgeHTTP(b *testing.B) {
	h := legacyWeb(webRunning + webAnswered).history(b)
	b.ReportAllocs()
	for b.Loop() {
		Judge(h)
	}
}

// BenchmarkJudgeStdio is the same over stdio.
func BenchmarkJudgeStdio(b *testing.B) {
	h := script{text: running + `50 server end 1 "done 1"; > result 1
		60 client < result 1; return 1 "done 1"`}.history(b)
	b.ReportAllocs()
	for b.Loop() {
		Judge(h)
	}
}

// BenchmarkJudgeCrowd judges a world of a thousand clients with 60,000 events.
func BenchmarkJudgeCrowd(b *testing.B) {
	h := (&longTalk{over: StreamableHTTP, answered: posted(), cancelled: dropped(), named: plainID, clients: 1000}).whole(60_000)
	b.ReportAllocs()
	for b.Loop() {
		Judge(h)
	}
	b.ReportMetric(float64(len(h.Events))*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
