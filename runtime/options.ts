/** The `limits` and `memory` blocks: the limits of runs, and the part of a thread that models see. */
import { type Static, Type } from '@sinclair/typebox';

/** Timers hold at most 2^31 - 1 milliseconds; a day is far below and longer than any sensible run. */
const DAY_SECONDS = 86_400;

export const LimitsOptions = Type.Object(
  {
    max_body_bytes: bytes(1_048_576, 'Largest request body in bytes.'),
    max_chat_body_bytes: bytes(4_194_304, 'Largest body of a chat request in bytes.'),
    run_seconds: seconds(120, 'Time limit of a run in seconds, from its start.'),
    queue_seconds: seconds(300, 'Seconds that a run may wait in the queue.'),
    queued_turns_per_thread: count(64, 'Turns that may be queued on one thread.'),
    concurrent_runs: count(256, 'Runs that execute at the same time.'),
    queued_runs: count(1024, 'Runs that may be queued; further ones are rejected with OVERLOADED.'),
    run_tokens: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Tokens that one run may use; unset: no limit.' }),
    ),
    recursion: Type.Integer({
      default: 25,
      minimum: 1,
      maximum: 1000,
      description:
        'Maximum steps of a run (supersteps of LangGraph), unless the graph or the request sets a limit.',
    }),
    recursion_max: Type.Integer({
      default: 1000,
      minimum: 1,
      maximum: 100_000,
      description: 'The largest `recursion_limit` of a request.',
    }),
  },
  { additionalProperties: false, default: {}, description: 'Limits of requests and runs.' },
);

export type LimitsOptions = Static<typeof LimitsOptions>;

export const MemoryOptions = Type.Object(
  {
    window_messages: count(20, 'Recent messages of a thread that a model sees.'),
    window_tokens: count(6000, 'Tokens of recent messages that a model sees.'),
    summarise: Type.Boolean({
      default: true,
      description: 'Keeps a rolling summary of the messages that have left the window.',
    }),
  },
  { additionalProperties: false, default: {}, description: 'What a model sees of a thread.' },
);

export type MemoryOptions = Static<typeof MemoryOptions>;

function bytes(value: number, description: string) {
  return Type.Integer({ default: value, minimum: 1, maximum: 1_073_741_824, description });
}

function seconds(value: number, description: string) {
  return Type.Number({ default: value, exclusiveMinimum: 0, maximum: DAY_SECONDS, description });
}

function count(value: number, description: string) {
  return Type.Integer({ default: value, minimum: 1, maximum: 1_000_000_000, description });
}
