/** The time to live of a thread in LangGraph's API. */
import { type Static, Type } from '@sinclair/typebox';
import type { StoredThread } from '../../../state/threads/archive.ts';
import type { ThreadTtl } from '../../../state/threads/threads.ts';

const Minutes = Type.Number({ exclusiveMinimum: 0, maximum: 52_560_000 });

export const PruneStrategy = Type.Union([Type.Literal('delete'), Type.Literal('keep_latest')], {
  default: 'delete',
  description: 'delete removes the thread; keep_latest removes only its older states',
});

export const Ttl = Type.Optional(
  Type.Union([Minutes, Type.Object({ ttl: Minutes, strategy: Type.Optional(PruneStrategy) }), Type.Null()], {
    description: 'Minutes without activity until the thread expires, and what happens then; null is ignored',
  }),
);

/** A number is the minutes, with the strategy `delete`. Returns undefined if there is none. */
export function parseTtl(ttl: Static<typeof Ttl> | undefined): ThreadTtl | undefined {
  if (ttl === undefined || ttl === null) return undefined;
  if (typeof ttl === 'number') return { minutes: ttl, strategy: 'delete' };
  return { minutes: ttl.ttl, strategy: ttl.strategy ?? 'delete' };
}

export const TtlBody = Type.Object({
  strategy: PruneStrategy,
  ttl_minutes: Type.Number(),
  expires_at: Type.String({ format: 'date-time' }),
});

export function ttlBody({ ttl }: Pick<StoredThread, 'ttl'>): Static<typeof TtlBody> | null {
  if (!ttl) return null;
  const { strategy, minutes, expiresAt } = ttl;
  return { strategy, ttl_minutes: minutes, expires_at: new Date(expiresAt).toISOString() };
}
