/** Operators: callers that may read the data of others. Each such read is written to the audit log. */
import { Type } from '@sinclair/typebox';
import type { Logger } from 'pino';
import { SkeinError } from '../../state/errors.ts';
import { ownerOf } from './identity.ts';

const ALL_CALLERS = '*';

/** No caller has this name, so reads of callers who are not operators find nothing. */
const NO_CALLER = 'nobody';

const Owner = Type.String({
  minLength: 1,
  maxLength: 300,
  description: 'For operators: the caller whose data is read, such as user:ann, or * for all callers',
});

export const ownerQuery = { owner: Type.Optional(Owner) };

/** A read whose query may name another caller. */
export interface OwnedRead {
  request: Request;
  /** The pattern of the route, for the audit log. */
  route: string;
  /** The query parameter. */
  owner: string | undefined;
}

/** Determines the owner whose data a read returns. If the caller may not read it, this is an owner without any data. */
export interface Operators {
  includes(caller: string): boolean;
  /** The owner of a list's items. Null means all callers. */
  ofList(read: OwnedRead): string | null;
  /** The owner of a thread. Throws INVALID_REQUEST for all callers, because threads of several callers may have the same id. */
  ofThread(read: OwnedRead, threadId: string): string;
  /** The owner of a store. Throws INVALID_REQUEST for all callers. */
  ofStore(read: OwnedRead): string;
  /** The owner of a resource with a globally unique id. `find` returns the resource's owner, and is called for all callers. */
  ofResource(read: OwnedRead, id: string, find: () => Promise<string | undefined>): Promise<string>;
}

/** `callers` are the owners who are operators, such as `user:ann`. */
export function createOperators(callers: readonly string[], log: Logger): Operators {
  const known = new Set(callers);

  /** Returns undefined if the caller may not read the owner's data. */
  function readableOwner({ request, route, owner }: OwnedRead, id: string | null): string | undefined {
    const caller = ownerOf(request);
    if (owner === undefined || owner === caller) return caller;
    if (!known.has(caller)) return undefined;
    log.info({ audit: 'operator read', caller, owner, route, id }, 'operator read');
    return owner;
  }

  return {
    includes: (caller) => known.has(caller),
    ofList(read) {
      const owner = readableOwner(read, null);
      return owner === ALL_CALLERS ? null : (owner ?? NO_CALLER);
    },
    ofThread(read, threadId) {
      const owner = readableOwner(read, threadId);
      if (owner === ALL_CALLERS)
        throw new SkeinError('INVALID_REQUEST', { detail: 'owner: expected the caller who owns the thread' });
      return owner ?? NO_CALLER;
    },
    ofStore(read) {
      const owner = readableOwner(read, null);
      if (owner === ALL_CALLERS)
        throw new SkeinError('INVALID_REQUEST', { detail: 'owner: expected the caller who owns the store' });
      return owner ?? NO_CALLER;
    },
    async ofResource(read, id, find) {
      const owner = readableOwner(read, id);
      return (owner === ALL_CALLERS ? await find() : owner) ?? NO_CALLER;
    },
  };
}

/** Throws INVALID_REQUEST if a request other than GET and HEAD names another caller: operators can't write for others. */
export function rejectWritesForOthers(request: Request, caller: string): void {
  if (request.method === 'GET' || request.method === 'HEAD' || !request.url.includes('owner=')) return;
  const owner = new URL(request.url).searchParams.get('owner');
  if (owner === null || owner === caller) return;
  throw new SkeinError('INVALID_REQUEST', { detail: 'owner: only reads may name another caller' });
}
