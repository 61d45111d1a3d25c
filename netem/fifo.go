package netem

// A fifo is a queue in a ring that grows as needed and never shrinks. The zero
// fifo is empty and ready.
type fifo[T any] struct {
	ring []T // its length is a power of two, or zero
	head int // position of the oldest element
	size int
}

func (q *fifo[T]) len() int { return q.size }

// at returns the i-th oldest element, to be looked at or changed in place.
func (q *fifo[T]) at(i int) *T { return &q.ring[(q.head+i)&(len(q.ring)-1)] }

func (q *fifo[T]) push(v T) {
	if q.size == len(q.ring) {
		q.grow()
	}
	q.size++
	*q.at(q.size - 1) = v
}

// pop removes the oldest element and forgets it.
func (q *fifo[T]) pop() {
	var zero T
	*q.at(0) = zero
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.size--
}

// truncate keeps the n oldest elements.
func (q *fifo[T]) truncate(n int) {
	var zero T
	for ; q.size > n; q.size-- {
		*q.at(q.size - 1) = zero
	}
}

func (q *fifo[T]) grow() {
	ring := make([]T, max(4, 2*len(q.ring)))
	for i := range q.size {
		ring[i] = *q.at(i)
	}
	q.ring, q.head = ring, 0
}
