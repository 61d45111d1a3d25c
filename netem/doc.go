// Package netem is the network between two peers that live in one process:
// byte pipes that carry newline-delimited frames with delay, limited bandwidth,
// bounded buffers, stalls, half-close and reset, whole or in pieces, one by one or
// several at once. Of two raw pipes, which know no lines, it makes connections as
// TCP has them, between those who dial and those who listen; package net/http runs
// on them. And it has the faults of what stands before an HTTP server.
//
// It knows bytes, frames and time. It does not know what a frame means, draws
// no random numbers and keeps no state between pipes: a delay is a pure
// function of a hash that the caller derives from the identity of what
// travels, so that one more frame never shifts the delay of another.
//
// A pipe is one ordered stream. It delivers every byte, once, in order; what a
// network loses or reorders below such a stream shows above it as delay only.
// [CheckStream] says so for each fault that somebody might ask for.
//
//	writer ──▶ stall ──segment──▶ line (bandwidth) ──▶ delay ──▶ window ──▶ reader
//	                   └───────── at most Buffer bytes between the two ─────┘
//
// A Write is cut behind each newline; what is left at its end is a segment of
// its own. In a raw pipe ([PipeConfig]) each Write is one segment. A segment arrives, as a whole, at
//
//	max(previous arrival + 1ns, end of its transmission + its delay)
//
// so arrivals in one pipe are distinct and in order. With a window w above zero
// ([Travel]) that is only when it reaches the receiving end, which hands it over w
// later, together with all that reaches it until then: those arrive at one
// instant, in order, and one Read returns them all if it has room. A segment that
// is cut arrives so with its first piece, and with each later one a gap after the
// one before; the segment behind it comes after its last piece, or, if both were
// held back together, with it.
//
// The package uses package time as it finds it: it runs alike on the real
// clock, in a testing/synctest bubble and on the runtime's fake clock. A pipe
// has no goroutine, and a timer only while a Read waits for something that is
// under way or for its deadline, or a Write for the end of a stall, its deadline or
// a refusal. In a bubble, whoever waits for a mutex stops the clock, and an HTTP/2
// client holds one while it writes: give connections there a buffer that holds all
// that is written at once.
//
// Read in this order: [Delay] and [Direction] say what a link does, [Travel] what
// becomes of a segment, [Frame] and [Tap] what can be seen of it, [NewPipe] makes
// one, [NewPair] makes two, [Network] makes a [Conn] at each end of two, and a
// [Front] stands before a server.
package netem
