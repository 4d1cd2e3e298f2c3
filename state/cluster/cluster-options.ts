/** The `cluster` block: how servers that share a database divide the work. */
import { type Static, Type } from '@sinclair/typebox';

export const ClusterOptions = Type.Object(
  {
    lease_seconds: Type.Number({
      default: 10,
      minimum: 1,
      maximum: 300,
      description: 'Seconds without a heartbeat after which other servers take over the runs of a server.',
    }),
    role: Type.Union([Type.Literal('all'), Type.Literal('front'), Type.Literal('worker')], {
      default: 'all',
      description: 'What this server does: accept requests and execute runs, or one of the two.',
    }),
  },
  { additionalProperties: false, default: {}, description: 'Several servers on one PostgreSQL database.' },
);

export type ClusterOptions = Static<typeof ClusterOptions>;
