/** The event-streaming protocol over a WebSocket: commands and any number of subscriptions on one connection. */
import { Value } from '@sinclair/typebox/value';
import type { Context } from 'elysia';
import { SkeinError } from '../../../state/errors.ts';
import { callerOf } from '../../authentication/identity.ts';
import type { SocketEnd } from '../../connection.ts';
import { jsonOf } from '../../http/json-body.ts';
import type { CommandCall } from './command-call.ts';
import { carryOut } from './commands.ts';
import { Command, type Envelope } from './envelope.ts';
import { socketSender } from './socket-sender.ts';
import { inOrder, socketSubscriptions } from './socket-subscriptions.ts';

// Commands that are not answered yet.
const MOST_WAITING = 100;

// As HTTP's status with 4000 added, which LangGraph's clients read: they do not try again.
const EXPIRED = 4401;
const TOO_MANY = 4429;
const GOING_AWAY = 1001;
const FAILED = 1011;

export interface OfSocket {
  /** The request that the socket came from, which says whose it is. */
  request: Request;
  set: Context['set'];
  threadId: string;
}

export function threadSocket(
  services: CommandCall['services'],
  { request, set, threadId }: OfSocket,
): SocketEnd {
  const { owner, expiresAt } = callerOf(request);
  const stopped = new AbortController();
  const of = { owner, threadId, signal: stopped.signal };
  const sender = socketSender();
  const subscriptions = socketSubscriptions({ services, of, sender, ended });
  const next = inOrder();
  let waiting = 0;
  let expiry: ReturnType<typeof setTimeout> | undefined;

  function ended(err?: unknown): void {
    if (err !== undefined)
      services.log.error({ err, thread_id: threadId }, 'the events of a thread cannot be sent');
    const [code, reason]: [number, string] =
      err === undefined ? [GOING_AWAY, 'The stream has ended'] : [FAILED, 'The events cannot be read'];
    sender.close(code, reason);
  }

  function handle(command: Command | Envelope): Promise<void> {
    if ('type' in command) return next(() => sender.send(command));
    // A long replay does not hold up the commands behind it.
    if (command.method === 'subscription.subscribe') return subscriptions.add(command);
    if (command.method === 'subscription.unsubscribe') return next(() => subscriptions.remove(command));
    return next(async () => sender.send(await carried(command)));
  }

  async function carried(command: Command): Promise<Envelope> {
    try {
      return await carryOut(command, { services, request, set, threadId });
    } catch (err) {
      const known = err instanceof SkeinError;
      if (!known) services.log.error({ err, thread_id: threadId }, 'a command failed');
      const message = known ? (err.detail ?? err.message) : 'The command failed';
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
      if (++waiting > MOST_WAITING) return sender.close(TOO_MANY, 'Too many commands at once');
      const settled = () => waiting--;
      handle(read(text, services.limits.max_chat_body_bytes)).catch(ended).then(settled);
    },
    drained: sender.drained,
    closed() {
      clearTimeout(expiry);
      stopped.abort();
      sender.closed();
    },
  };
}

/** The command, or the answer to what is none. */
function read(text: string | undefined, mostBytes: number): Command | Envelope {
  const refused = (message: string) => ({
    ...{ type: 'error' as const, id: null, error: 'invalid_argument' as const, message },
  });
  if (text === undefined) return refused('Commands are sent as text');
  if (Buffer.byteLength(text) > mostBytes) return refused(`A command has at most ${mostBytes} bytes`);
  try {
    const value = jsonOf(text);
    return Value.Check(Command, value) ? value : refused('Expected a command: {id, method, params}');
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    return refused(error.detail ?? error.message);
  }
}
