/** The wire schemas of interrupts and of breakpoints at which a turn has stopped. */
import { Type } from '@sinclair/typebox';
import type { TurnResult } from '../../state/threads/runs.ts';

const Path = Type.Array(Type.String(), {
  description: 'The nodes whose subgraphs contain it, outermost first. [] in the root graph',
});

const InterruptId = Type.String({ description: 'Identifies the interrupt in the `values` of an answer' });
const Question = Type.Unknown({ description: 'The question: the value that was passed to interrupt()' });

/** An interrupt without its place in the graph. */
export const FirstInterrupt = Type.Union(
  [Type.Object({ interrupt_id: InterruptId, value: Question }), Type.Null()],
  { description: 'The first of `interrupts`, or null' },
);

export const InterruptBody = Type.Object(
  {
    interrupt_id: InterruptId,
    value: Question,
    agent: Type.String({ description: 'The agent that asks' }),
    path: Path,
  },
  { title: 'Interrupt' },
);

export const StopBody = Type.Object(
  {
    agent: Type.String({ description: 'The agent at which it stopped' }),
    when: Type.Union([Type.Literal('before'), Type.Literal('after')], {
      description: 'Whether it stopped before or after the agent ran',
    }),
    path: Path,
  },
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
