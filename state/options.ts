/** The `chat_history` block: where threads, messages, runs and checkpoints are stored, and for how long. */
import { type Static, Type } from '@sinclair/typebox';

export const ChatHistoryOptions = Type.Object(
  {
    database_type: Type.Union([Type.Literal('sqlite'), Type.Literal('postgresql')], {
      default: 'sqlite',
      description:
        'The database of conversations: a file for a single process, or a server that several processes share.',
    }),
    database_path: Type.String({
      default: './.tmp/skein.db',
      minLength: 1,
      path: true,
      description: 'The database file of `sqlite`. Its folder is created if it is missing.',
    }),
    connection_string: Type.Optional(
      Type.String({
        pattern: '^postgres(ql)?://\\S+$',
        expected: 'a postgres:// or postgresql:// URL',
        secret: true,
        description: 'The URL of the `postgresql` database, with user and password.',
      }),
    ),
    pool_size: Type.Integer({
      default: 10,
      minimum: 1,
      maximum: 100,
      description:
        'Size of the connection pool to PostgreSQL, in addition to two connections for notifications.',
    }),
    retention_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 36_500,
        description: 'Days after its last turn at which a thread is deleted. Unset: threads are kept.',
      }),
    ),
    retention_max_share_per_hour: Type.Number({
      default: 0.1,
      exclusiveMinimum: 0,
      maximum: 1,
      description:
        'The share of all threads that retention_days may delete per hour, at least one thread. It limits the damage of a wrong clock.',
    }),
    event_retention_hours: Type.Integer({
      default: 24,
      minimum: 1,
      maximum: 8760,
      description: 'Hours after the end of a run for which its events can be replayed.',
    }),
    checkpoints_per_thread: Type.Integer({
      default: 20,
      minimum: 1,
      maximum: 10_000,
      description: "Checkpoints kept per thread, in addition to heads, forks' parents and interrupts.",
    }),
  },
  { additionalProperties: false, default: {}, description: 'Where conversations are stored, and how long.' },
);

export type ChatHistoryOptions = Static<typeof ChatHistoryOptions>;
