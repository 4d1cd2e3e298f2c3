/** Writes what an agent says during a model call into the run's log. */
import type { GraphLocation } from '../../../state/threads/events.ts';
import type { CallContext } from '../../../tools/models/call/call.ts';
import { type RunContext, workOf } from './run-context.ts';

/** Joined text of this length is written immediately, so that events stay small. */
const MAX_CHARACTERS = 4_000;

/** `message` has the id of the message in the graph's state. It gets a new id if the call starts over. */
export function speaking(
  run: RunContext,
  { agent, location }: { agent: string; location: GraphLocation },
  message: { id: string },
): Pick<CallContext, 'onToken' | 'onReasoning' | 'onRestart'> {
  const who = workOf(agent, location);
  let hasText = false;
  /** Text that arrived in the current read of the response. */
  let held = '';

  function say(delta: string): void {
    run.emit({ ...location, kind: 'message', body: { ...who, delta, id: message.id } });
  }

  function passOn(): void {
    const delta = held;
    held = '';
    if (delta !== '') say(delta);
  }

  return {
    onToken(delta) {
      hasText = true;
      run.reported.add(message.id);
      // LangGraph's stream modes have a message for each token.
      if (run.stream) return say(delta);
      // A busy process reads many tokens at once. Chat's streams join them anyway, so one entry is enough.
      if (held === '') queueMicrotask(passOn);
      held += delta;
      if (held.length >= MAX_CHARACTERS) passOn();
    },
    onReasoning(delta) {
      passOn();
      run.emit({ ...location, kind: 'reasoning', body: { ...who, delta, id: message.id } });
    },
    onRestart() {
      if (!hasText) return;
      passOn();
      hasText = false;
      message.id = Bun.randomUUIDv7();
      run.emit({
        ...location,
        kind: 'task',
        body: { ...who, attempt: run.executions.attempt(agent, location) + 1 },
      });
    },
  };
}
