package spacetime

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// glyphs are the characters that a listing is drawn with. Each rune is one
// column wide.
type glyphs struct {
	ascii                  bool
	dash, bar              rune
	dots, dotBar           rune // the same of what is no message: the closing of a stream
	leftTurn, rightTurn    rune // where a frame leaves: client's to its lane (┐), server's to its lane (┌)
	leftLand, rightLand    rune // where it leaves its lane again: to the client (┘), to the server (└)
	leftHead, rightHead    rune
	lost                   rune // head of a frame that arrived nowhere
	ellipsis, here, higher string
}

var (
	unicodeGlyphs = glyphs{
		dash: '─', bar: '│', dots: '┄', dotBar: '┆', leftTurn: '┐', rightTurn: '┌', leftLand: '┘', rightLand: '└',
		leftHead: '◀', rightHead: '▶', lost: '✗', ellipsis: "…", here: "◀ ", higher: "↑ ",
	}
	asciiGlyphs = glyphs{
		ascii: true,
		dash:  '-', bar: '|', dots: '.', dotBar: ':', leftTurn: '+', rightTurn: '+', leftLand: '+', rightLand: '+',
		leftHead: '<', rightHead: '>', lost: 'x', ellipsis: "...", here: "< ", higher: "^ ",
	}
)

// asciiWords spells what our own sentences use beyond ASCII.
var asciiWords = strings.NewReplacer("…", "...", "µ", "u", "·", "-", "→", "->", "–", "-")

// along and down are what an arrow's runs are drawn with, across and down the listing.
func (g glyphs) along(f *frame) rune {
	if f.sort == closing {
		return g.dots
	}
	return g.dash
}

func (g glyphs) down(f *frame) rune {
	if f.sort == closing {
		return g.dotBar
	}
	return g.bar
}

// clean makes s safe to print in cells: what has no width of its own, or moves
// the cursor, is escaped, so that the width of a string is the sum of its
// runes' widths.
func (g glyphs) clean(s string) string {
	if g.ascii {
		s = asciiWords.Replace(s)
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			b.WriteByte(' ')
		case r == utf8.RuneError && g.ascii:
			b.WriteByte('?')
		case r == ' ' || r == utf8.RuneError:
			b.WriteRune(r)
		case !unicode.IsPrint(r) || runeWidth(r) == 0 || g.ascii && r > unicode.MaxASCII:
			b.WriteString(escape(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// escape spells r as JSON and Go do, in ASCII.
func escape(r rune) string {
	if r > 0xffff {
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// runeWidth is the number of columns that r takes. The locale has no say in
// it: a listing is the same everywhere.
func runeWidth(r rune) int {
	return (&runewidth.Condition{StrictEmojiNeutral: true}).RuneWidth(r)
}

// width is the number of columns of a clean string.
func width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// cut shortens a clean string to n columns, the ellipsis included.
func (g glyphs) cut(s string, n int) string {
	if width(s) <= n {
		return s
	}
	head, _ := split(s, max(0, n-width(g.ellipsis)))
	return strings.TrimRight(head, " ") + g.ellipsis
}

// split divides a clean string after at most n columns.
func split(s string, n int) (head, tail string) {
	for i, r := range s {
		if n -= runeWidth(r); n < 0 {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// maxLines bounds how many lines one cell's text may take; what an SDK puts
// into an error can be long.
const maxLines = 4

// wrap breaks a clean string into at most maxLines lines of at most n columns
// each, between words where it can.
func (g glyphs) wrap(s string, n int) []string {
	var lines []string
	for width(s) > n && len(lines) < maxLines-1 {
		head, tail := split(s, n)
		if at := strings.LastIndexByte(head, ' '); at > 0 && !strings.HasPrefix(tail, " ") {
			head, tail = s[:at], s[at:]
		}
		if head == "" { // a rune wider than the cell
			break
		}
		lines = append(lines, strings.TrimRight(head, " "))
		s = strings.TrimLeft(tail, " ")
	}
	return append(lines, g.cut(s, n))
}

// cutJSON shortens a frame to room columns and says how many of its bytes are not
// shown.
func (g glyphs) cutJSON(raw string, room int) string {
	if full := g.clean(raw); width(full) <= room {
		return full
	}
	end, w := 0, width(g.hidden(len(raw)))
	for i, r := range raw {
		if w += width(g.clean(string(r))); w > room {
			break
		}
		_, n := utf8.DecodeRuneInString(raw[i:])
		end = i + n
	}
	return g.clean(raw[:end]) + g.hidden(len(raw)-end)
}

// hidden says that n bytes are not shown.
func (g glyphs) hidden(n int) string {
	return g.ellipsis + " (+" + strconv.Itoa(n) + " bytes)"
}
