/** What a command is carried out with. */
import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Context } from 'elysia';
import type { StoredThread } from '../../../state/archive.ts';
import { ownerOf } from '../../authentication/identity.ts';
import type { Connections } from '../../connection.ts';
import type { Services } from '../../services.ts';
import { Refusal } from './envelope.ts';

export interface CommandCall {
  services: Services & Pick<Connections, 'countChat'>;
  /** The request that it came with, which says whose it is. */
  request: Request;
  set: Context['set'];
  threadId: string;
  params: unknown;
}

/** Undefined where the caller has no such thread. */
export function threadIn({ services, request, threadId }: CommandCall): Promise<StoredThread | undefined> {
  return services.archive.threads.find(ownerOf(request), threadId);
}

/** Throws the refusal `no_such_run`. */
export async function existingThread(call: CommandCall): Promise<StoredThread> {
  const thread = await threadIn(call);
  if (!thread) throw new Refusal('no_such_run', 'The thread is not found');
  return thread;
}

/** Throws the refusal `invalid_argument`, naming the field. */
export function checkedParams<Schema extends TSchema>(schema: Schema, params: unknown = {}): Static<Schema> {
  const [first] = Value.Errors(schema, params);
  if (!first) return params as Static<Schema>;
  const place = first.path.slice(1).replaceAll('/', '.') || 'params';
  throw new Refusal('invalid_argument', `${place}: ${first.message.toLowerCase()}`);
}
