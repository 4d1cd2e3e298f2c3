/** The schema of a run request: AG-UI's RunAgentInput. */
import { type Static, Type } from '@sinclair/typebox';
import { ThreadId } from '../http/schemas/thread-id.ts';

const Part = Type.Object({ type: Type.String() }, { additionalProperties: true });
export type Part = Static<typeof Part> & Record<string, unknown>;

const Message = Type.Object(
  {
    role: Type.String(),
    content: Type.Optional(
      Type.Union([Type.String(), Type.Array(Part), Type.Null(), Type.Record(Type.String(), Type.Unknown())]),
    ),
  },
  { additionalProperties: true },
);
export type Message = Static<typeof Message>;

export const RunAgentInput = Type.Object(
  {
    threadId: ThreadId,
    runId: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Repeated in the events. The id of the stored run is different',
    }),
    messages: Type.Array(Message, {
      description: 'The last user message is the turn; the thread has the others',
    }),
    state: Type.Optional(
      Type.Unknown({
        description: 'Channels whose value differs from the state of the thread are written to the graph',
      }),
    ),
    resume: Type.Optional(
      Type.Array(
        Type.Object(
          {
            interruptId: Type.String(),
            status: Type.Union([Type.Literal('resolved'), Type.Literal('cancelled')]),
            payload: Type.Optional(Type.Unknown()),
          },
          { additionalProperties: true },
        ),
        { description: 'Answers to the pending interrupts of the thread' },
      ),
    ),
  },
  { title: 'RunAgentInput', additionalProperties: true },
);
export type RunAgentInput = Static<typeof RunAgentInput>;
