/** The `chat_history` block: where and how long threads, messages, runs and checkpoints are kept. */
import { type Static, Type } from '@sinclair/typebox';

export const ChatHistoryOptions = Type.Object(
  {
    database_type: Type.Union([Type.Literal('sqlite'), Type.Literal('postgresql')], {
      default: 'sqlite',
      description:
        'The database that keeps conversations: a file of one process, or a server that several share.',
    }),
    database_path: Type.String({
      default: './.tmp/skein.db',
      minLength: 1,
      path: true,
      description: 'The database file of `sqlite`; its folder is made where it is missing.',
    }),
    connection_string: Type.Optional(
      Type.String({
        pattern: '^postgres(ql)?://\\S+$',
        expected: 'a postgres:// or postgresql:// URL',
        secret: true,
        description: 'Where the database of `postgresql` is, with its user and password.',
      }),
    ),
    pool_size: Type.Integer({
      default: 10,
      minimum: 1,
      maximum: 100,
      description: 'Connections to PostgreSQL that this server keeps, beside the one for notifications.',
    }),
    retention_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 36_500,
        description: 'Days after its last turn at which a thread is deleted; unset: threads are kept.',
      }),
    ),
    retention_max_share_per_hour: Type.Number({
      default: 0.1,
      exclusiveMinimum: 0,
      maximum: 1,
      description:
        'The share of all threads that retention_days may delete in an hour, at least one; it bounds what a wrong clock does.',
    }),
    event_retention_hours: Type.Integer({
      default: 24,
      minimum: 1,
      maximum: 8760,
      description: 'Hours for which the events of a finished run can be replayed.',
    }),
    checkpoints_per_thread: Type.Integer({
      default: 20,
      minimum: 1,
      maximum: 10_000,
      description: "Checkpoints kept per thread beside heads, forks' parents and interrupts.",
    }),
  },
  { additionalProperties: false, default: {}, description: 'Where conversations are stored, and how long.' },
);

export type ChatHistoryOptions = Static<typeof ChatHistoryOptions>;
