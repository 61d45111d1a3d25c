package protocol

import (
	"encoding/json"
	"strings"
)

// maxDepth is how deep arrays and objects may nest; encoding/json draws the
// same line.
const maxDepth = 10000

// Member returns the raw JSON of the member called name of the JSON object
// that text is, or "" when there is none. Case matters. Of several members
// with one name the last counts, as in encoding/json. A text that is no valid
// object has no members.
func Member(text, name string) string {
	found := ""
	o := object{cursor: cursor{text: text}}
	for o.next() {
		if o.key == name {
			found = o.value
		}
	}
	if !o.ended() {
		return ""
	}
	return found
}

// Text decodes a raw JSON string. It reports false when raw is anything else.
func Text(raw string) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	c := cursor{text: raw}
	if !c.skipString() || c.at != len(raw) {
		return "", false
	}
	inner := raw[1 : len(raw)-1]
	if isPlain(inner) {
		return inner, true
	}
	var s string
	err := json.Unmarshal([]byte(raw), &s)
	return s, err == nil
}

// isPlain reports whether the inside of a JSON string stands for itself: ASCII
// without an escape.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] == '\\' || s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// isObject reports whether the valid JSON value raw is an object.
func isObject(raw string) bool { return strings.HasPrefix(raw, "{") }

// isNumber reports whether the valid JSON value raw is a number.
func isNumber(raw string) bool {
	return raw != "" && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// An object walks over the members of a JSON object. After a true next, key
// (decoded) and value (raw) hold one member. After a false one, ended tells
// whether the whole text was one valid object.
type object struct {
	cursor
	key, value string
	members    int
	state      walk
}

// A walk is how far an object has been walked over.
type walk int

const (
	begun walk = iota
	broken
	done
)

// next moves to the next member.
func (o *object) next() bool {
	if o.state != begun {
		return false
	}
	o.state = broken // until it proves otherwise
	o.skipSpace()
	if o.members == 0 && !o.take('{') {
		return false
	}
	o.skipSpace()
	if o.take('}') {
		o.skipSpace()
		if o.at == len(o.text) {
			o.state = done
		}
		return false
	}
	if o.members > 0 && !o.take(',') || !o.member() {
		return false
	}
	o.members++
	o.state = begun
	return true
}

// ended reports whether the walk came to the end of one valid object with
// nothing behind it.
func (o *object) ended() bool { return o.state == done }

// member reads `"key": value`.
func (o *object) member() bool {
	o.skipSpace()
	from := o.at
	if !o.skipString() {
		return false
	}
	o.key = o.text[from+1 : o.at-1]
	if strings.IndexByte(o.key, '\\') >= 0 {
		o.key, _ = Text(o.text[from:o.at])
	}
	o.skipSpace()
	if !o.take(':') {
		return false
	}
	o.skipSpace()
	from = o.at
	if !o.skipValue(1) {
		return false
	}
	o.value = o.text[from:o.at]
	return true
}

// A cursor is a position in a JSON text. Its skip methods move it behind one
// piece and report whether the piece was there and valid by RFC 8259; after a
// false the position means nothing.
type cursor struct {
	text string
	at   int
}

// take moves over the byte c if it is next.
func (c *cursor) take(b byte) bool {
	if c.at < len(c.text) && c.text[c.at] == b {
		c.at++
		return true
	}
	return false
}

func (c *cursor) skipSpace() {
	for c.at < len(c.text) {
		switch c.text[c.at] {
		case ' ', '\t', '\r', '\n':
			c.at++
		default:
			return
		}
	}
}

// skipValue moves over any value; depth is how many containers enclose it.
func (c *cursor) skipValue(depth int) bool {
	if c.at >= len(c.text) {
		return false
	}
	switch c.text[c.at] {
	case '{':
		return c.skipContainer(depth+1, '}', true)
	case '[':
		return c.skipContainer(depth+1, ']', false)
	case '"':
		return c.skipString()
	case 't':
		return c.skipWord("true")
	case 'f':
		return c.skipWord("false")
	case 'n':
		return c.skipWord("null")
	}
	return c.skipNumber()
}

// skipContainer moves over an object (named: its values have names) or an
// array. The cursor is at the opening bracket.
func (c *cursor) skipContainer(depth int, end byte, named bool) bool {
	if depth > maxDepth {
		return false
	}
	c.at++
	c.skipSpace()
	if c.take(end) {
		return true
	}
	for {
		c.skipSpace()
		if named && !c.skipName() {
			return false
		}
		if !c.skipValue(depth) {
			return false
		}
		c.skipSpace()
		if c.take(end) {
			return true
		}
		if !c.take(',') {
			return false
		}
	}
}

// skipName moves over `"name":` and the space around the colon.
func (c *cursor) skipName() bool {
	if !c.skipString() {
		return false
	}
	c.skipSpace()
	if !c.take(':') {
		return false
	}
	c.skipSpace()
	return true
}

func (c *cursor) skipWord(word string) bool {
	if !strings.HasPrefix(c.text[c.at:], word) {
		return false
	}
	c.at += len(word)
	return true
}

func (c *cursor) skipString() bool {
	if !c.take('"') {
		return false
	}
	for c.skipPlain(); c.at < len(c.text); c.skipPlain() {
		if c.text[c.at] == '"' {
			c.at++
			return true
		}
		if c.text[c.at] != '\\' || !c.skipEscape() {
			return false // a control character, or no escape
		}
	}
	return false
}

// skipPlain moves over what stands for itself in a string. Most bytes of most
// frames are such, so the loop keeps its position in a register.
func (c *cursor) skipPlain() {
	text, at := c.text, c.at
	for at < len(text) && text[at] != '"' && text[at] != '\\' && text[at] >= 0x20 {
		at++
	}
	c.at = at
}

func (c *cursor) skipEscape() bool {
	c.at++ // the backslash
	if c.take('u') {
		for range 4 {
			if c.at >= len(c.text) || !isHex(c.text[c.at]) {
				return false
			}
			c.at++
		}
		return true
	}
	if c.at >= len(c.text) || strings.IndexByte(`"\/bfnrt`, c.text[c.at]) < 0 {
		return false
	}
	c.at++
	return true
}

func isHex(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}

func (c *cursor) skipNumber() bool {
	c.take('-')
	if !c.take('0') && !c.skipDigits() {
		return false
	}
	if c.take('.') && !c.skipDigits() {
		return false
	}
	if c.take('e') || c.take('E') {
		if !c.take('+') {
			c.take('-')
		}
		return c.skipDigits()
	}
	return true
}

// skipDigits moves over one or more digits.
func (c *cursor) skipDigits() bool {
	from := c.at
	for c.at < len(c.text) && c.text[c.at] >= '0' && c.text[c.at] <= '9' {
		c.at++
	}
	return c.at > from
}
