/** Tells the run's log what an agent says in a model call, as it says it. */
import type { Place } from '../../state/events.ts';
import type { CallContext } from '../../tools/models/call.ts';
import { type RunContext, workOf } from './run-context.ts';

/** `message` is what the text becomes in the graph's state: it gets another id where the call begins anew. */
export function speaking(
  run: RunContext,
  { agent, place }: { agent: string; place: Place },
  message: { id: string },
): Pick<CallContext, 'onToken' | 'onReasoning' | 'onRestart'> {
  const who = workOf(agent, place);
  let said = false;
  return {
    onToken(delta) {
      said = true;
      run.said.add(message.id);
      run.emit({ ...place, kind: 'message', body: { ...who, delta, id: message.id } });
    },
    onReasoning(delta) {
      run.emit({ ...place, kind: 'reasoning', body: { ...who, delta, id: message.id } });
    },
    onRestart() {
      if (!said) return;
      said = false;
      message.id = Bun.randomUUIDv7();
      run.emit({
        ...place,
        kind: 'task',
        body: { ...who, attempt: run.executions.attempt(agent, place) + 1 },
      });
    },
  };
}
