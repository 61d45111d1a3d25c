package spacetime

import "strings"

// A style is how a cell is coloured on a terminal.
type style byte

const (
	plain  style = iota
	faint        // times, JSON
	wire         // arrows
	alarm        // the violation
	notice       // the silence that a cancel asks for
)

// sgr is the ANSI sequence that switches each style on.
var sgr = [...]string{plain: "\x1b[0m", faint: "\x1b[2m", wire: "\x1b[36m", alarm: "\x1b[1;31m", notice: "\x1b[33m"}

// covered fills the second column of a rune that is two wide.
const covered rune = -1

// A cell is one column of a line.
type cell struct {
	r     rune
	style style
}

// A line is one line of the listing, drawn in any order; later wins.
type line []cell

func newLine(width int) line {
	l := make(line, width)
	for i := range l {
		l[i].r = ' '
	}
	return l
}

// put writes a clean string from column x; what does not fit is dropped.
func (l line) put(x int, s string, st style) {
	for _, r := range s {
		w := runeWidth(r)
		if x < 0 || x+w > len(l) {
			return
		}
		l.set(x, r, st)
		if w == 2 {
			l.set(x+1, covered, st)
		}
		x += w
	}
}

// set writes one column. Half of a wide rune that is written over leaves a
// blank where its other half was.
func (l line) set(x int, r rune, st style) {
	if x < 0 || x >= len(l) {
		return
	}
	if l[x].r == covered && r != covered {
		l[x-1].r = ' '
	}
	if x+1 < len(l) && l[x+1].r == covered {
		l[x+1].r = ' '
	}
	l[x] = cell{r, st}
}

// fill writes r into the columns from x up to but excluding end.
func (l line) fill(x, end int, r rune) {
	for ; x < end; x++ {
		l.set(x, r, wire)
	}
}

// String returns the line without trailing blanks, with a line feed.
func (l line) String(colour bool) string {
	end := len(l)
	for end > 0 && l[end-1].r == ' ' {
		end--
	}
	var b strings.Builder
	on := plain
	for _, c := range l[:end] {
		if c.r == covered {
			continue
		}
		if colour && c.style != on && c.r != ' ' {
			if on != plain {
				b.WriteString(sgr[plain])
			}
			if c.style != plain {
				b.WriteString(sgr[c.style])
			}
			on = c.style
		}
		b.WriteRune(c.r)
	}
	if on != plain {
		b.WriteString(sgr[plain])
	}
	b.WriteByte('\n')
	return b.String()
}
