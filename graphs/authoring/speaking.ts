/** Writes what an agent says during a model call into the run's log. */
import type { GraphLocation } from '../../state/events.ts';
import type { CallContext } from '../../tools/models/call.ts';
import { type RunContext, workOf } from './run-context.ts';

/** `message` becomes the message in the graph's state: it gets a new id if the call starts over. */
export function speaking(
  run: RunContext,
  { agent, location }: { agent: string; location: GraphLocation },
  message: { id: string },
): Pick<CallContext, 'onToken' | 'onReasoning' | 'onRestart'> {
  const who = workOf(agent, location);
  let hasText = false;
  return {
    onToken(delta) {
      hasText = true;
      run.reported.add(message.id);
      run.emit({ ...location, kind: 'message', body: { ...who, delta, id: message.id } });
    },
    onReasoning(delta) {
      run.emit({ ...location, kind: 'reasoning', body: { ...who, delta, id: message.id } });
    },
    onRestart() {
      if (!hasText) return;
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
