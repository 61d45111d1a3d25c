package engine

// timerPatches have the timers of one instant fire in an order of the seed's. Each draws
// its place when it is set, and takes it when the heap comes to know of that: the heap
// keeps timers that were stopped for a while, and for how long hangs on the worlds
// before, so that nothing must be drawn by whether a timer is still in it.
func timerPatches() []patch {
	const file = "time.go"
	return []patch{{
		file: file, why: "a timer's place among those of its instant, until the heap knows of it",
		old: "\trand    uint32 // randomizes order of timers at same instant; only set when isFake\n",
		new: "\trand    uint32 // randomizes order of timers at same instant\n\tdrawn   uint32 // the next one\n",
	}, {
		file: file, why: "where it is drawn",
		old: "\tt.when = when\n\tif t.state&timerHeaped != 0 {\n\t\tt.state |= timerModified\n",
		new: "\tt.when = when\n\tif faketime != 0 {\n\t\tt.drawn = mcpsimTimer()\n\t}\n\tif t.state&timerHeaped != 0 {\n\t\tt.state |= timerModified\n",
	}, {
		file: file, why: "a timer joins the heap",
		old: "\t\tif t.isFake {\n\t\t\t// Re-randomize timer order.\n",
		new: "\t\tif faketime != 0 {\n\t\t\tt.rand = t.drawn\n\t\t} else if t.isFake {\n\t\t\t// Re-randomize timer order.\n",
	}, {
		file: file, why: "the first of the heap was set anew",
		old: "\t\tts.heap[0].when = t.when\n",
		new: "\t\tts.heap[0].when = t.when\n\t\tif faketime != 0 {\n\t\t\tt.rand = t.drawn\n\t\t}\n",
	}, {
		file: file, why: "another one was",
		old: "\t\t\ttw.when = t.when\n",
		new: "\t\t\ttw.when = t.when\n\t\t\tif faketime != 0 {\n\t\t\t\tt.rand = t.drawn\n\t\t\t}\n",
	}}
}
