/** The `limits` and `memory` blocks: the limits of runs, and the part of a thread that models see. */
import { type Static, Type } from '@sinclair/typebox';

/** Timers hold at most 2^31 - 1 milliseconds; a day is far below and longer than any sensible run. */
const DAY_SECONDS = 86_400;

export const LimitsOptions = Type.Object(
  {
    max_body_bytes: bytes(
      1_048_576,
      'Maximum size of a request body in bytes, except for turns and documents.',
    ),
    max_chat_body_bytes: bytes(4_194_304, 'Maximum size of the body of a turn in bytes.'),
    run_seconds: seconds(120, 'Time limit of a run in seconds, without its time in the queue.'),
    queue_seconds: seconds(300, 'Seconds that a run may wait in the queue, after which it fails.'),
    queued_turns_per_thread: count(64, 'Maximum number of turns that are waiting on one thread.'),
    concurrent_runs: count(256, 'Maximum number of runs that a server executes at the same time.'),
    queued_runs: count(
      1024,
      'Maximum number of runs that are waiting in the queue; further runs are rejected with OVERLOADED.',
    ),
    run_tokens: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Maximum number of tokens of one run; unset: no limit.' }),
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
    window_messages: count(20, 'Maximum number of recent messages of a thread that a model sees.'),
    window_tokens: count(6000, 'Maximum number of tokens of these messages.'),
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
