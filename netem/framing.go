package netem

import "bytes"

// A framing says where the frames of a stream end.
type framing interface {
	// first returns how many bytes of b, of which there is at least one, belong to
	// the frame that they go on with or begin, and whether it ends there.
	first(b []byte) (n int, last bool)
	// ending returns how many bytes at the end of b end a frame rather than being
	// its own.
	ending(b []byte) int
}

// In byLine, a frame is a line.
type byLine struct{}

func (byLine) first(b []byte) (n int, last bool) {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return i + 1, true
	}
	return len(b), false
}

func (byLine) ending(b []byte) int {
	switch {
	case bytes.HasSuffix(b, []byte("\r\n")):
		return 2
	case bytes.HasSuffix(b, []byte("\n")):
		return 1
	}
	return 0
}

// In byWrite, a frame is what one Write carries.
type byWrite struct{}

func (byWrite) first(b []byte) (n int, last bool) { return len(b), true }

func (byWrite) ending([]byte) int { return 0 }

// portion returns how much of data to hand over where there is room for that
// many bytes: all of them, but not a frame's last byte without its line end.
func portion(f framing, data []byte, room int) int {
	if room >= len(data) {
		return len(data)
	}
	text := len(data) - f.ending(data)
	if room >= text && text > 0 {
		return text - 1
	}
	return room
}
