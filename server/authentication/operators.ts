/** Operators: callers that may read what belongs to others. Each such read is written down. */
import { Type } from '@sinclair/typebox';
import type { Logger } from 'pino';
import { SkeinError } from '../../state/errors.ts';
import { ownerOf } from './identity.ts';

const EVERYBODY = '*';

/** No caller has this name, so that others than operators find nothing. */
const NOBODY = 'nobody';

const Owner = Type.String({
  minLength: 1,
  maxLength: 300,
  description: 'For operators: the caller whose things are read, as in user:ann; * for everybody',
});

export const ownerQuery = { owner: Type.Optional(Owner) };

/** A read that may name another caller. */
export interface OwnedRead {
  request: Request;
  /** As the route is defined. */
  route: string;
  /** As the query has it. */
  owner: string | undefined;
}

export interface Operators {
  includes(caller: string): boolean;
  /** Whose things a list has; null: everybody's. */
  ofList(read: OwnedRead): string | null;
  /** Whose thread is read. Throws INVALID_REQUEST for everybody's: threads of several callers may share an id. */
  ofThread(read: OwnedRead, threadId: string): string;
  /** Whose store is read. Throws INVALID_REQUEST for everybody's. */
  ofStore(read: OwnedRead): string;
  /** Whose thing is read, by an id that no two things share; `find` returns its owner. */
  ofThing(read: OwnedRead, id: string, find: () => Promise<string | undefined>): Promise<string>;
}

export function createOperators(callers: readonly string[], log: Logger): Operators {
  const known = new Set(callers);

  /** Undefined: the caller may not read it. */
  function asked({ request, route, owner }: OwnedRead, id: string | null): string | undefined {
    const caller = ownerOf(request);
    if (owner === undefined || owner === caller) return caller;
    if (!known.has(caller)) return undefined;
    log.info({ audit: 'operator read', caller, owner, route, id }, 'operator read');
    return owner;
  }

  return {
    includes: (caller) => known.has(caller),
    ofList(read) {
      const owner = asked(read, null);
      return owner === EVERYBODY ? null : (owner ?? NOBODY);
    },
    ofThread(read, threadId) {
      const owner = asked(read, threadId);
      if (owner === EVERYBODY)
        throw new SkeinError('INVALID_REQUEST', { detail: 'owner: expected one caller, whose thread it is' });
      return owner ?? NOBODY;
    },
    ofStore(read) {
      const owner = asked(read, null);
      if (owner === EVERYBODY)
        throw new SkeinError('INVALID_REQUEST', { detail: 'owner: expected one caller, whose store it is' });
      return owner ?? NOBODY;
    },
    async ofThing(read, id, find) {
      const owner = asked(read, id);
      return (owner === EVERYBODY ? await find() : owner) ?? NOBODY;
    },
  };
}

/** Throws INVALID_REQUEST where a request that may change something names another caller: nobody writes for others. */
export function refuseWritesForOthers(request: Request, caller: string): void {
  if (request.method === 'GET' || request.method === 'HEAD' || !request.url.includes('owner=')) return;
  const owner = new URL(request.url).searchParams.get('owner');
  if (owner === null || owner === caller) return;
  throw new SkeinError('INVALID_REQUEST', { detail: 'owner: only reads may name another caller' });
}
