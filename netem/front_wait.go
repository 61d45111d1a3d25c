package netem

import (
	"context"
	"time"
)

// A fuse breaks a connection of the machine's own when it has burnt down. It does not
// notice when that is closed before.
type fuse struct{ timer *time.Timer }

// Wait blocks until all backends have returned on which the front has given up, or
// ctx has ended, of which it returns the error. It is for the end, when all
// connections are closed: drops of TCP connections that have not come by then do not
// come any more.
func (f *Front) Wait(ctx context.Context) error {
	f.mu.Lock()
	for lit := range f.fuses {
		lit.timer.Stop()
	}
	clear(f.fuses)
	if f.running == 0 {
		f.mu.Unlock()
		return nil
	}
	if f.idle == nil {
		f.idle = make(chan struct{})
	}
	idle := f.idle
	f.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// light has f.Wait keep burn from being called so much later, or wait for it.
func (f *Front) light(after time.Duration, burn func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fuses == nil {
		f.fuses = map[*fuse]bool{}
	}
	lit := &fuse{}
	lit.timer = time.AfterFunc(after, func() {
		if over, burns := f.burns(lit); burns {
			defer over()
			burn()
		}
	})
	f.fuses[lit] = true
}

// burns counts a fuse that has burnt down, as runs does, unless it was put out in the
// last moment.
func (f *Front) burns(x *fuse) (over func(), burns bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.fuses[x] {
		return nil, false
	}
	delete(f.fuses, x)
	return f.count(), true
}

// runs counts a backend that may outlive its exchange; the returned function counts
// it out.
func (f *Front) runs() (over func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count()
}

func (f *Front) count() (over func()) {
	f.running++
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.running--; f.running == 0 && f.idle != nil {
			close(f.idle)
			f.idle = nil
		}
	}
}
