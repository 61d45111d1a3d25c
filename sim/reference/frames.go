package reference

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// maxFrame is the longest frame that a peer takes, in bytes. A longer one ends
// the session: where the next one begins is anybody's guess.
const maxFrame = 4 << 20

// firstBuffer holds several ordinary frames; it grows if one needs it.
const firstBuffer = 2 << 10

// frameSize is room for an ordinary frame.
const frameSize = 384

// A frameReader cuts a byte stream into frames.
type frameReader struct{ lines *bufio.Scanner }

func newFrameReader(r io.Reader) frameReader {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, firstBuffer), maxFrame)
	lines.Split(splitFrames)
	return frameReader{lines}
}

// next blocks for a frame that is not blank and tells what it says. It returns
// io.EOF, and only that, when the stream ends between two frames.
func (f frameReader) next() (*history.Message, error) {
	for f.lines.Scan() {
		if line := f.lines.Bytes(); len(bytes.TrimSpace(line)) > 0 {
			return protocol.Identify(line), nil
		}
	}
	err := f.lines.Err()
	switch {
	case err == nil:
		return nil, io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("read a frame: longer than %d bytes", maxFrame)
	}
	return nil, fmt.Errorf("read a frame: %w", err)
}

// splitFrames is bufio.ScanLines, except that a last line without an end is an
// error: half a frame is none.
func splitFrames(data []byte, atEOF bool) (int, []byte, error) {
	if atEOF && len(data) > 0 && bytes.IndexByte(data, '\n') < 0 {
		return 0, nil, io.ErrUnexpectedEOF
	}
	return bufio.ScanLines(data, atEOF)
}
