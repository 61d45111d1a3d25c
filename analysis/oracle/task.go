package oracle

import (
	"encoding/json"
	"math"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A task is what a call became that was made as one: the server has answered the
// call and works on, and no request is in flight for it.
//
//	client  ──tools/call──▶            ──tasks/cancel──▶
//	server               ◀──task 1──   work …           ◀──cancelled──
//
// It is remembered for longer than the exchanges about it, so it holds none of them.
type task struct {
	call      *call          // that it came of, or, when that is forgotten, what is kept of it; nil: none of the application's
	until     time.Duration  // from this instant on the server may have deleted it
	token     string         // for progress, as its call gave it; empty: none
	revoked   *history.Event // the first tasks/cancel for it, as written
	cancel    *history.Event // the first tasks/cancel for it that was read, as read
	granted   bool           // and the first answer to that was a result
	cancelled *history.Event // the writing of the first answer to a tasks/cancel that showed it cancelled
	over      *sight         // the first that showed it over
	reports   int            // progress with its token so far
	asked     int            // how often its tool had asked for progress when it was shown over
}

// A sight is a frame of the server's that shows how a task stands.
type sight struct {
	*history.Event // its writing
	status         string
}

// written is the event, nil of no sight.
func (s *sight) written() *history.Event {
	if s == nil {
		return nil
	}
	return s.Event
}

// What a call has to do with tasks.
type callTask struct {
	task   *task          // what it became, if it was made as one
	revoke *history.Event // its caller lost interest, if it was made as a task: see history.Call.Task
}

// What a frame has.
type frameTask struct {
	task        *task          // the one that it is about
	shown       *sight         // what had shown that over when a request was read, or an answer's writing began
	cancelledBy *history.Event // what had shown it cancelled, likewise
	report      int            // progress: which of the task's, from 1
}

// And a session.
type sessionTasks struct {
	tasks     map[string]*task // by id, since the server told of them
	reported  map[string]*task // by the progress token of the call
	recent    []string         // the ids of tasks, oldest first
	strangers bool             // there are tasks that are not, or no more, among these
}

// maxTasks bounds how many tasks are remembered at a time. Of older ones nothing is
// judged that comes later.
const maxTasks = 1 << 14

// The words of tasks on the wire.
const (
	tasksGet    = "tasks/get"
	tasksResult = "tasks/result"
	tasksCancel = "tasks/cancel"
	tasksList   = "tasks/list"

	statusCancelled = "cancelled"
)

// Of the errors that a question about a task can get.
const (
	methodNotFound = -32601
	invalidParams  = -32602
)

func isTerminal(status string) bool {
	return status == "completed" || status == "failed" || status == statusCancelled
}

// taskWritten sorts in what a frame, whose writing begins, has to do with a task.
func (b *builder) taskWritten(f *frame) {
	if f.msg.Kind == history.Request && f.side == history.Client && f.msg.Token != "" {
		delete(b.reported, f.msg.Token) // the token's meaning is the latest request
	}
	switch {
	case f.msg.Kind == history.Request && f.side == history.Client && f.msg.Task != "":
		if f.task = b.tasks[f.msg.Task]; f.task != nil && f.msg.Method == tasksCancel {
			f.task.revoked = earlier(f.task.revoked, f.write)
		}
	case f.msg.Kind == history.Request:
		// It is about none of the server's tasks.
	case f.side != history.Server:
	case f.req != nil && f.msg.Kind == history.Response && f.req.frame.msg.Augmented && f.msg.Task != "":
		b.taskBegun(f)
	case f.msg.Kind == history.Notification && f.msg.Token != "":
		if f.task = b.reported[f.msg.Token]; f.task != nil {
			f.task.reports++
			f.report = f.task.reports
		}
	case f.req != nil:
		f.task = f.req.frame.task
		b.strangers = b.strangers || f.req.frame.msg.Method == tasksList
	case f.msg.Kind == history.Notification && f.msg.Task != "":
		f.task = b.tasks[f.msg.Task]
	}
	if f.task != nil && f.side == history.Server {
		f.taskShown()
	}
}

func (b *builder) taskBegun(f *frame) {
	f.task = &task{call: f.req.call, until: deletable(f), token: f.req.frame.msg.Token}
	f.req.frame.task = f.task
	if f.task.call != nil {
		f.task.call.task = f.task
	}
	if b.tasks == nil {
		b.tasks, b.reported = map[string]*task{}, map[string]*task{}
	}
	if token := f.req.frame.msg.Token; token != "" {
		b.reported[token] = f.task
	}
	if b.tasks[f.msg.Task] != nil {
		return
	}
	b.tasks[f.msg.Task] = f.task
	if b.recent = append(b.recent, f.msg.Task); len(b.recent) > maxTasks {
		b.forgetTask(b.recent[0])
		b.recent = b.recent[1:]
	}
}

// deletable is the earliest instant in which the task may be deleted whatever its
// status: its ttl runs since it was created, which was not before its call was read.
// A task without a ttl is kept for ever.
func deletable(f *frame) time.Duration {
	var frame struct {
		Result struct {
			Task struct {
				TTL *float64 `json:"ttl"` // milliseconds
			} `json:"task"`
		} `json:"result"`
	}
	from := f.req.frame.write.At
	if read := f.req.frame.read; read != nil {
		from = read.At
	}
	const longest = float64(math.MaxInt64 / 4 / int64(time.Millisecond))
	err := json.Unmarshal([]byte(f.msg.Raw), &frame)
	if ttl := frame.Result.Task.TTL; err == nil && ttl != nil && *ttl < longest {
		return from + time.Duration(max(*ttl, 0)*float64(time.Millisecond))
	}
	return math.MaxInt64
}

// mayBeGone reports whether the answer refuses a question about t, which may have
// been deleted by then.
func (t *task) mayBeGone(answer *frame) bool {
	return answer.msg.Kind == history.ErrorReply && answer.write.At >= t.until
}

func (b *builder) forgetTask(id string) {
	if token := b.tasks[id].token; b.reported[token] == b.tasks[id] {
		delete(b.reported, token)
	}
	delete(b.tasks, id)
	b.strangers = true
}

// taskShown notes what a frame of the server's shows of its task, and what was shown
// before.
func (f *frame) taskShown() {
	t := f.task
	f.shown = t.over
	if f.req != nil && f.req.frame.msg.Method == tasksCancel {
		f.cancelAnswered()
	}
	if t.over == nil && isTerminal(f.msg.Status) {
		t.over = &sight{f.write, f.msg.Status}
		if t.call != nil {
			t.asked = t.call.asked + len(t.call.asks)
		}
	}
}

// cancelAnswered notes what an answer to a tasks/cancel says.
func (f *frame) cancelAnswered() {
	t := f.task
	if f.msg.Status == statusCancelled && t.cancelled == nil {
		t.cancelled = f.write
	}
	if t.cancel != nil && f.req.frame.read == t.cancel && f.req.first == f {
		t.granted = f.msg.Kind != history.ErrorReply
	}
}

// taskRead notes how the task of a request stands that the server has read.
func (f *frame) taskRead() {
	if f.task == nil || f.msg.Kind != history.Request {
		return
	}
	f.shown, f.cancelledBy = f.task.over, f.task.cancelled
	if f.msg.Method == tasksCancel && f.task.cancel == nil {
		f.task.cancel = f.read
	}
}

// leaveCall takes what may still be asked of the call, which is to be forgotten.
func (t *task) leaveCall() {
	c := t.call
	t.call = &call{Call: c.Call, start: c.start, told: c.told, end: c.end, asked: c.asked + len(c.asks)}
}

// asks returns the request if it asks about a task by this method and has been read
// and answered in a session that lived, and its sender did not give it up; nil
// otherwise.
func (r *request) asks(x *index, method string) *request {
	switch {
	case r.frame.msg.Method != method || r.frame.read == nil || r.first == nil:
	case r.reused || r.cancel != nil || before(x.overFor(r), r.first.write) || x.overHTTP && x.whyNoWay(r) != "":
	default:
		return r
	}
	return nil
}

// refusedWith reports whether the request was answered with that error.
func (r *request) refusedWith(code int64) bool {
	return r.first.msg.Kind == history.ErrorReply && r.first.msg.Code == code
}

// aboutTask is a violation of the server's in its answer to a request about t.
func (t *task) aboutTask(what string) Violation {
	v := Violation{Side: history.Server, What: what, Lateness: -1}
	if t.call != nil {
		v.Call, v.Handler = t.call.Call.Call, t.call.kind()
	}
	return v
}

// ended returns the end of the task's tool if it came before e; nil otherwise.
func (t *task) ended(e *history.Event) *history.Event {
	if t.call == nil || !before(t.call.end, e) {
		return nil
	}
	return t.call.end
}
