/** The wire schemas of interrupts and of breakpoints at which a turn has stopped. */
import { Type } from '@sinclair/typebox';
import type { TurnResult } from '../../state/threads/runs.ts';

const Path = Type.Array(Type.String(), {
  description: 'The nodes whose subgraphs contain it, outermost first. [] in the root graph',
});

export const InterruptBody = Type.Object(
  { interrupt_id: Type.String(), value: Type.Unknown(), agent: Type.String(), path: Path },
  { title: 'Interrupt' },
);

export const StopBody = Type.Object(
  { agent: Type.String(), when: Type.Union([Type.Literal('before'), Type.Literal('after')]), path: Path },
  { title: 'Stop' },
);

/** `interrupt` is the first one of `interrupts`, or null. */
export function toInterruptBodies({ interrupts, stoppedAt }: Pick<TurnResult, 'interrupts' | 'stoppedAt'>) {
  const all = interrupts.map(({ interruptId: interrupt_id, value, agent, path }) => ({
    ...{ interrupt_id, value, agent, path },
  }));
  const first = all[0] ?? null;
  return {
    interrupt: first && { interrupt_id: first.interrupt_id, value: first.value },
    interrupts: all,
    stopped_at: stoppedAt,
  };
}
