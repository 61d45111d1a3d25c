package netem

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"
)

// pause waits until After has passed, unless the client gives up before.
func (x *exchange) pause(share float64) error {
	timer := time.NewTimer(time.Duration(share*float64(x.fault.After)) - time.Since(x.arrived))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-x.r.Context().Done():
		return context.Cause(x.r.Context())
	}
}

// frontMemory is how much of a body a front keeps at most, in bytes. What is
// beyond that, it passes on as it comes.
const frontMemory = 1 << 20

// keep reads the body as far as a front keeps it. Only when a server has read a
// body to its end does it look for the end of the connection.
func keep(body io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(body, frontMemory)) }

// hold keeps the request back. A client that is gone by then has never asked: a
// front that has the whole request does not pass it on for nobody.
func (x *exchange) hold() {
	kept, err := keep(x.r.Body)
	if err == nil {
		err = x.pause(1)
	}
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	body := io.MultiReader(bytes.NewReader(kept), x.r.Body)
	x.next.ServeHTTP(x.w, withBody(x.r, body))
}

func withBody(r *http.Request, body io.Reader) *http.Request {
	r2 := r.WithContext(r.Context())
	r2.Body = struct {
		io.Reader
		io.Closer
	}{body, r.Body}
	return r2
}

func (x *exchange) slowPost() {
	x.next.ServeHTTP(x.w, withBody(x.r, &slowBody{exchange: x}))
}

// A slowBody hands a body over in pieces. It blocks until the client has sent
// all of it, and then until each piece is due; it ends early with the client.
type slowBody struct {
	exchange *exchange
	begun    bool
	kept     []byte
	handed   int
	err      error // of the reading
}

const slowPieces = 4

func (b *slowBody) Read(p []byte) (int, error) {
	if !b.begun {
		b.begun = true
		b.kept, b.err = keep(b.exchange.r.Body)
	}
	piece, end := b.piece()
	if err := b.exchange.pause(float64(piece) / slowPieces); err != nil {
		return 0, err
	}
	if b.handed < end {
		n := copy(p, b.kept[b.handed:end])
		b.handed += n
		return n, nil
	}
	if b.err != nil {
		return 0, b.err
	}
	return b.exchange.r.Body.Read(p)
}

// piece returns the number of the next piece, from 1, and where it ends. The last
// byte is always in the last piece, and what follows comes with it.
func (b *slowBody) piece() (piece, end int) {
	size := len(b.kept)
	if b.handed == size {
		return slowPieces, size
	}
	piece = ((b.handed+1)*slowPieces + size - 1) / size
	return piece, piece * size / slowPieces
}

// unanswered lets the client wait, until it gives up or the front goes down.
func (x *exchange) unanswered() {
	if _, err := io.Copy(io.Discard, x.r.Body); err == nil {
		select {
		case <-x.r.Context().Done():
		case <-x.halt:
		}
	}
	panic(http.ErrAbortHandler) // no answer, whatever the reason to stop waiting
}
