/** The context in which a command is executed, and the checks that commands share. */
import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Context } from 'elysia';
import type { StoredThread } from '../../../state/threads/archive.ts';
import { ownerOf } from '../../authentication/identity.ts';
import type { Connections } from '../../connection.ts';
import type { Services } from '../../services.ts';
import { CommandError } from './envelope.ts';

export interface CommandCall {
  services: Services & Pick<Connections, 'countChat'>;
  /** The HTTP request of the command, or the request that opened the WebSocket. Identifies the caller. */
  request: Request;
  set: Context['set'];
  threadId: string;
  params: unknown;
}

/** Returns undefined if the caller has no thread with this id. */
export function findThread({ services, request, threadId }: CommandCall): Promise<StoredThread | undefined> {
  return services.archive.threads.find(ownerOf(request), threadId);
}

/** Throws a `no_such_run` error. */
export async function requireThread(call: CommandCall): Promise<StoredThread> {
  const thread = await findThread(call);
  if (!thread) throw new CommandError('no_such_run', 'Thread not found');
  return thread;
}

/** Throws an `invalid_argument` error that names the field. */
export function checkedParams<Schema extends TSchema>(schema: Schema, params: unknown = {}): Static<Schema> {
  const [error] = Value.Errors(schema, params);
  if (!error) return params as Static<Schema>;
  const field = error.path.slice(1).replaceAll('/', '.') || 'params';
  throw new CommandError('invalid_argument', `${field}: ${error.message.toLowerCase()}`);
}
