package plots

import (
	"fmt"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// An orphaned is how long handlers went on after their cancel had been read,
// in one arm at one version. Both curves are shares of all such handlers, so
// that they add up.
type orphaned struct {
	running   int64   // handlers that were running when the cancel was read
	neverTold int64   // of those: the SDK's
	told      int64   // of those: the tools' own time
	ranOn     int64   // of told: the tool went on
	unread    int64   // cancels that lay unread until the call had ended; not in the curves
	orphanNs  float64 // time of all handlers that were never told, together
	lastTold  int64   // ns
	lastNever int64   // ns
	never     curve
	toldCurve curve
}

func orphanedOf(g analysis.Group) orphaned {
	never := buckets(g.ReadToEnd[oracle.NeverTold])
	ranOn := g.ReadToEnd[oracle.ToldRanOn]
	told := buckets(g.ReadToEnd[oracle.Stopped], ranOn)
	o := orphaned{
		neverTold: count(never), told: count(told), ranOn: ranOn.N(),
		orphanNs: total(never), running: count(never) + count(told),
	}
	o.never, o.toldCurve = survival(o.running, never), survival(o.running, told)
	o.lastNever, o.lastTold = o.never.last(), o.toldCurve.last()
	for _, out := range g.Outcomes {
		if out.Work == oracle.NotRead {
			o.unread += int64(out.N)
		}
	}
	return o
}

// all is the share of handlers still running, told or not.
func (o orphaned) all() curve { return sum(o.never, o.toldCurve) }

func (o orphaned) verdict() string { return nOfM(o.neverTold, o.running) }

func orphanedFigure(versions []arms) figure {
	f := figure{
		title: "Orphaned work: no worlds of the target were run",
		note: "Share of the handlers that were running when their cancel was read. “Same instant”: the handler ended " +
			"without any time passing after the read. A dot is the last one to end.",
	}
	if len(versions) > 0 {
		f.title = orphanedTitle(versions)
	}
	lo, hi := span(runningCurves(versions)...)
	for _, v := range versions {
		f.panels = append(f.panels, orphanedPanel(v, lo, hi))
	}
	return f
}

func orphanedTitle(versions []arms) string {
	var never, running, unread int64
	for _, v := range versions {
		o := orphanedOf(v.target)
		never, running, unread = never+o.neverTold, running+o.running, unread+o.unread
	}
	said := each(versions, func(v arms) string {
		o := orphanedOf(v.target)
		return o.verdict() + o.unreadWords(tied(" and "), "unread")
	})
	switch {
	case running == 0 && unread > 0:
		return "Orphaned work · cancels unread until their call had ended: " +
			each(versions, func(v arms) string { return comma(orphanedOf(v.target).unread) })
	case running == 0:
		return "Orphaned work: not exercised, no cancel was read while a handler was running"
	case never == 0 && unread == 0:
		return "No orphaned work · handlers never told of their cancel: " + said
	}
	return "Orphaned work · handlers never told of their cancel: " + said
}

func orphanedPanel(v arms, lo, hi int) panel {
	o := orphanedOf(v.target)
	if o.running == 0 {
		return wordsOnly(v.target.SpecVersion, v.say("No cancel was read while a handler was running"+o.unreadWords("; ", "lay unread until their call had ended")+"."))
	}
	return panel{
		heading: fmt.Sprintf("%s · never told: %s", v.target.SpecVersion, o.verdict()),
		tall:    150, below: 32,
		key:  orphanedKey(v, o),
		draw: func(f frame) { drawOrphaned(f, v, o, lo, hi) },
	}
}

// unreadWords puts the cancels that lay unread into words, if there are any.
func (o orphaned) unreadWords(before, after string) string {
	if o.unread == 0 {
		return ""
	}
	return before + comma(o.unread) + nbsp + after
}

func orphanedKey(v arms, o orphaned) []entry {
	never := "never told (the SDK's): " + o.verdict()
	if o.neverTold > 0 {
		never += fmt.Sprintf("; together %s, the longest %s", duration(int64(o.orphanNs)), duration(o.lastNever))
	}
	told := "told (the tools' own time): " + nOfM(o.told, o.running)
	switch {
	case o.told > 0 && o.lastTold == 0:
		told += "; all ended in the same instant"
	case o.told > 0:
		told += "; the last ended after " + duration(o.lastTold)
	}
	if o.ranOn > 0 {
		told += "; " + comma(o.ranOn) + " ran on although told"
	}
	key := []entry{
		{neverLook, bandMark, never},
		{toldLook, bandMark, told},
		v.sayIn(againstOrphaned(v.reference, referenceLook, "reference, same seeds")),
		v.sayIn(againstOrphaned(v.deaf, controlLook, "control, a mutant that ignores cancels")),
	}
	if o.unread > 0 {
		key = append(key, entry{word: v.say("not drawn, as unread until their call had ended: ") + comma(o.unread)})
	}
	return key
}

func againstOrphaned(g *analysis.Group, l look, name string) entry {
	if g == nil {
		return entry{l, strokeMark, name + ": not run"}
	}
	o := orphanedOf(*g)
	if o.running == 0 {
		return entry{l, strokeMark, name + ": no cancel was read while a handler was running"}
	}
	return entry{l, strokeMark, name + ": never told " + o.verdict()}
}

var (
	neverLook = look{color: vermillion, width: 1.6}
	toldLook  = look{color: blue, width: 1.6}
)

// runningCurves are all curves of a figure, which share one axis.
func runningCurves(versions []arms) []curve {
	var out []curve
	for _, v := range versions {
		out = append(out, orphanedOf(v.target).all())
		for _, g := range []*analysis.Group{v.reference, v.deaf} {
			if g != nil {
				out = append(out, orphanedOf(*g).all())
			}
		}
	}
	return out
}

func drawOrphaned(f frame, v arms, o orphaned, lo, hi int) {
	axis := timeAxis{f, lo, hi}
	// The jumps of one instant are set apart, or one would hide the other.
	const atTarget, atReference, atControl = 0.5, 0.35, 0.65
	all := named{name: "told", look: toldLook, line: axis.points(o.all(), 1, atTarget), surface: true}
	never := named{name: "never told", look: neverLook, line: axis.points(o.never, ratio(o.neverTold, o.running), atTarget), surface: true}
	axis.grid()
	axis.under(look{color: paleSky}, all.line)
	if o.neverTold > 0 {
		axis.under(look{color: salmon}, never.line)
	}
	others := axis.against(v.reference, named{name: "reference", look: referenceLook}, atReference)
	others = append(others, axis.against(v.deaf, named{name: "control", look: controlLook}, atControl)...)
	var own []named
	if o.told > 0 {
		own = append(own, all)
	}
	if o.neverTold > 0 {
		own = append(own, never)
	}
	lines := append(others, own...)
	for _, n := range lines {
		f.line(n.look, n.line...)
	}
	axis.draw(v.say("time since the cancel was read (log scale)"), "share still running")
	for _, n := range own {
		f.dot(n.look, n.line[len(n.line)-1])
	}
	f.nameLines(lines)
}

// against is another arm's line, when there is one.
func (a timeAxis) against(g *analysis.Group, n named, slot float64) []named {
	if g == nil || orphanedOf(*g).running == 0 {
		return nil
	}
	n.line = a.points(orphanedOf(*g).all(), 1, slot)
	return []named{n}
}
