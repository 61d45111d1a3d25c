package sim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpsim/mcpsim/sim/protocol"
)

// taskTTL is how long callers ask for their tasks to be kept: longer than they have
// use for them, and less than a drained world waits for timers.
const taskTTL = 30 * time.Minute

// A taskCall is a call that is made as a task, as its caller sees it.
type taskCall struct {
	*pending
	client  TaskClient
	plan    ScheduledTask
	task    string        // its id; empty: not known
	revoked chan struct{} // closed when the caller's tasks/cancel has been answered; nil: it made none
}

// runTask makes the call as a task, waits for its result, and asks what it has still
// to ask.
func (p *pending) runTask() {
	client, ok := p.world.seatOf(p.call).client.(TaskClient)
	if !ok {
		panic(p.world.Client.Name + " says that it makes tasks, and is no TaskClient")
	}
	t := &taskCall{pending: p, client: client, plan: *p.call.Task}
	value, err := t.run()
	p.returned(value, err)
	if t.revoked != nil {
		<-t.revoked
	}
	p.linger()
	t.afterwards()
}

// run returns the task's result. The caller's losing interest, which is the end of
// p.ctx, is not the end of every request.
func (t *taskCall) run() (string, error) {
	lasting := context.Background()
	waiting, creating := lasting, lasting
	switch t.plan.GiveUp {
	case GiveUpWait:
		waiting = t.ctx
	case GiveUpCall:
		creating = t.ctx
	}
	var err error
	if t.task, err = t.client.StartTask(creating, request(t.call), taskTTL); err != nil {
		return "", err
	}
	if t.plan.GiveUp != GiveUpWait {
		done := make(chan struct{})
		stop := context.AfterFunc(t.ctx, func() { t.revoke(done) })
		defer func() {
			if !stop() {
				t.revoked = done
			}
		}()
	}
	if t.plan.Wait == ByPolling {
		if err := t.poll(waiting); err != nil {
			return "", err
		}
	}
	return t.client.TaskResult(waiting, t.task)
}

// revoke cancels the task.
func (t *taskCall) revoke(done chan struct{}) {
	t.world.own.Add(1)
	defer t.world.own.Add(-1)
	defer close(done)
	t.ask(func(ctx context.Context) { _ = t.client.CancelTask(ctx, t.task) })
}

// ask makes a request that the caller does not give up before the world does. What
// comes of it is on the wire.
func (t *taskCall) ask(request func(ctx context.Context)) {
	ctx, cancel := context.WithTimeout(context.Background(), t.world.header.Horizon)
	defer cancel()
	request(ctx)
}

var errTaskCancelled = errors.New("the task was cancelled")

// maxPolls bounds how often a caller asks how its task is. Who has asked so often
// waits for the result.
const maxPolls = 100

// poll asks until the task is over. It errs if the task was cancelled.
func (t *taskCall) poll(ctx context.Context) error {
	for range maxPolls {
		status, err := t.client.GetTask(ctx, t.task)
		switch {
		case err != nil:
			return err
		case status == protocol.TaskCancelled:
			return errTaskCancelled
		case protocol.Terminal(status):
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(t.plan.Every):
		}
	}
	return nil
}

// afterwards asks what the plan has the caller ask of a task that is over: the tool
// has had the time by then that it needs when nobody stops it.
func (t *taskCall) afterwards() {
	if len(t.plan.Then) == 0 || t.task == "" {
		return
	}
	time.Sleep(t.call.Work)
	for _, then := range t.plan.Then {
		time.Sleep(ownInstant)
		if t.world.over() {
			return
		}
		switch then {
		case ThenGet:
			t.ask(func(ctx context.Context) { _, _ = t.client.GetTask(ctx, t.task) })
		case ThenCancel:
			t.ask(func(ctx context.Context) { _ = t.client.CancelTask(ctx, t.task) })
		case ThenUnknown:
			t.unknown()
		}
	}
}

// unknown asks about a task that there never was.
func (t *taskCall) unknown() {
	none := fmt.Sprintf("nobodys-task-%d", t.call.Call)
	t.ask(func(ctx context.Context) { _, _ = t.client.GetTask(ctx, none) })
	t.ask(func(ctx context.Context) { _ = t.client.CancelTask(ctx, none) })
	t.ask(func(ctx context.Context) { _, _ = t.client.TaskResult(ctx, none) })
}
