package sim

import "encoding/json"

// A jsonValue looks for the end of a body that is a JSON object or array, as the body
// comes piece by piece. It looks at each byte once.
type jsonValue struct {
	depth   int  // of brackets
	text    bool // it is in a string
	escaped bool // behind a backslash
	ended   bool
}

// feed takes the next piece, and reports whether the value, if it is one, is complete and
// has ended in it.
func (v *jsonValue) feed(piece []byte) bool {
	was := v.ended
	for _, b := range piece {
		v.step(b)
	}
	return v.ended && !was
}

func (v *jsonValue) step(b byte) {
	switch {
	case v.escaped:
		v.escaped = false
	case v.text:
		v.escaped = b == '\\'
		v.text = b != '"'
	case b == '"':
		v.text = true
	case b == '{', b == '[':
		v.depth++
	case b == '}', b == ']':
		v.depth--
		v.ended = v.ended || v.depth == 0
	}
}

// whole reports whether b is a JSON object or array.
func whole(b []byte) bool {
	for i := len(b) - 1; i >= 0; i-- {
		switch b[i] {
		case ' ', '\t', '\r', '\n':
			continue
		case '}', ']':
			return json.Valid(b)
		}
		return false
	}
	return false
}
