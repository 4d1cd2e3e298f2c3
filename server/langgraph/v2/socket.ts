/** The event-streaming protocol over a WebSocket, with commands and several subscriptions on one connection. */
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Context } from 'elysia';
import { SkeinError } from '../../../state/errors.ts';
import { callerOf } from '../../authentication/identity.ts';
import type { SocketEnd } from '../../connection.ts';
import { parseJson } from '../../http/bodies/json-body.ts';
import type { CommandCall } from './command-call.ts';
import { executeCommand } from './commands.ts';
import { Command, type Envelope } from './envelope.ts';
import { socketSender } from './socket-sender.ts';
import { serialQueue, socketSubscriptions } from './socket-subscriptions.ts';

// The most commands without a response.
const MAX_PENDING = 100;

// Close codes with the HTTP status plus 4000. LangGraph's clients recognize them and don't reconnect.
const EXPIRED = 4401;
const TOO_MANY = 4429;
const GOING_AWAY = 1001;
const FAILED = 1011;

/** A client that waits for the response to this id can match the error with it. */
const Identified = Type.Pick(Command, ['id']);

export interface SocketOptions {
  /** The request that opened the socket. Identifies the caller. */
  request: Request;
  set: Context['set'];
  threadId: string;
}

export function threadSocket(
  services: CommandCall['services'],
  { request, set, threadId }: SocketOptions,
): SocketEnd {
  const { owner, expiresAt } = callerOf(request);
  const stopped = new AbortController();
  const scope = { owner, threadId, signal: stopped.signal };
  const sender = socketSender();
  const subscriptions = socketSubscriptions({ services, scope, sender, ended });
  const enqueue = serialQueue();
  let pending = 0;
  let expiry: ReturnType<typeof setTimeout> | undefined;

  function ended(err?: unknown): void {
    if (err !== undefined) services.log.error({ err, thread_id: threadId }, 'thread events cannot be sent');
    const [code, reason]: [number, string] =
      err === undefined ? [GOING_AWAY, 'The stream has ended'] : [FAILED, 'The events cannot be read'];
    sender.close(code, reason);
  }

  function handle(command: Command | Envelope): Promise<void> {
    if ('type' in command) return enqueue(() => sender.send(command));
    // Subscriptions have their own queue, so that a long replay doesn't delay later commands.
    if (command.method === 'subscription.subscribe') return subscriptions.add(command);
    if (command.method === 'subscription.unsubscribe') return enqueue(() => subscriptions.remove(command));
    return enqueue(async () => sender.send(await execute(command)));
  }

  async function execute(command: Command): Promise<Envelope> {
    try {
      return await executeCommand(command, { services, request, set, threadId });
    } catch (err) {
      const isExpected = err instanceof SkeinError;
      if (!isExpected) services.log.error({ err, thread_id: threadId }, 'command failed');
      const message = isExpected ? (err.detail ?? err.message) : 'The command failed';
      return { type: 'error', id: command.id, error: 'unknown_error', message };
    }
  }

  return {
    opened(socket) {
      sender.open(socket);
      if (expiresAt === null) return;
      expiry = setTimeout(
        () => sender.close(EXPIRED, 'The credentials have expired'),
        expiresAt - Date.now(),
      );
    },
    received(text) {
      if (++pending > MAX_PENDING) return sender.close(TOO_MANY, 'Too many commands at once');
      const settled = () => pending--;
      handle(parse(text, services.limits.max_chat_body_bytes)).catch(ended).then(settled);
    },
    drained: sender.drained,
    closed() {
      clearTimeout(expiry);
      stopped.abort();
      sender.closed();
    },
  };
}

/** Returns the command, or the error response to a message that isn't one. */
function parse(text: string | undefined, maxBytes: number): Command | Envelope {
  const invalid = (message: string, id: number | null = null) => ({
    ...{ type: 'error' as const, id, error: 'invalid_argument' as const, message },
  });
  if (text === undefined) return invalid('A command must be a text message');
  if (Buffer.byteLength(text) > maxBytes) return invalid(`A command must be at most ${maxBytes} bytes`);
  try {
    const value = parseJson(text);
    if (Value.Check(Command, value)) return value;
    return invalid(
      'Expected a command: {id, method, params}',
      Value.Check(Identified, value) ? value.id : null,
    );
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    return invalid(error.detail ?? error.message);
  }
}
