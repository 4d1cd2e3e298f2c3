/** The event-streaming protocol over a WebSocket: commands and any number of subscriptions on one connection. */
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Context } from 'elysia';
import { SkeinError } from '../../../state/errors.ts';
import { callerOf } from '../../authentication/identity.ts';
import type { SocketEnd } from '../../connection.ts';
import { jsonOf } from '../../http/json-body.ts';
import type { Services } from '../../services.ts';
import { checkedParams } from './command-call.ts';
import { carryOut } from './commands.ts';
import { answered, Command, type Envelope, Refusal } from './envelope.ts';
import { matches, Subscription, wireEvent } from './event.ts';
import { socketSender } from './socket-sender.ts';
import { threadEvents } from './thread-events.ts';

const MOST_SUBSCRIPTIONS = 100;
// Commands that wait for those before them.
const MOST_WAITING = 100;

const Unsubscribe = Type.Object({ subscription_id: Type.String() }, { additionalProperties: true });

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

export function threadSocket(services: Services, { request, set, threadId }: OfSocket): SocketEnd {
  const { owner, expiresAt } = callerOf(request);
  const stopped = new AbortController();
  const { signal } = stopped;
  const sender = socketSender();
  const subscriptions = new Map<string, Subscription>();
  /** The number of the last event that all subscriptions have. */
  let cursor = 0;
  let isPumping = false;
  let waiting = 0;
  /** What goes out in order: events, and the answer and the replay of a subscription between them. */
  const outgoing = inOrder();
  const commands = inOrder();
  let expiry: ReturnType<typeof setTimeout> | undefined;

  function expire(): void {
    sender.close(EXPIRED, 'The credentials have expired');
  }

  async function pump(): Promise<void> {
    try {
      for await (const events of threadEvents(services, { owner, threadId, signal }))
        await outgoing(async () => {
          for (const event of events) {
            cursor = event.seq;
            if (![...subscriptions.values()].some((one) => matches(one, event))) continue;
            const wire = await wireEvent(event);
            if (wire) await sender.send(wire);
          }
        });
      sender.close(GOING_AWAY, 'The stream has ended');
    } catch (err) {
      services.log.error({ err, thread_id: threadId }, 'the events of a thread cannot be sent');
      sender.close(FAILED, 'The events cannot be read');
    }
  }

  /** What others have had before it. */
  async function replay(subscription: Subscription, last: number): Promise<void> {
    if (last === 0) return;
    for await (const events of threadEvents(services, { owner, threadId, signal })) {
      for (const event of events) {
        if (event.seq > last) return;
        const wire = matches(subscription, event) ? await wireEvent(event) : undefined;
        if (wire) await sender.send(wire);
      }
      if (events.length === 0) return;
    }
  }

  function subscribe(command: Command): Promise<void> {
    return outgoing(async () => {
      const id = Bun.randomUUIDv7();
      let subscription: Subscription | undefined;
      await sender.send(
        await answered(command, threadId, async () => {
          subscription = checkedParams(Subscription, command.params);
          if (subscriptions.size >= MOST_SUBSCRIPTIONS)
            throw new Refusal('invalid_argument', `At most ${MOST_SUBSCRIPTIONS} subscriptions`);
          return { subscription_id: id };
        }),
      );
      if (!subscription || subscriptions.size >= MOST_SUBSCRIPTIONS) return;
      await replay(subscription, cursor);
      subscriptions.set(id, subscription);
      if (!isPumping) void pump();
      isPumping = true;
    });
  }

  function unsubscribe(command: Command): Promise<Envelope> {
    return answered(command, threadId, async () => {
      const { subscription_id } = checkedParams(Unsubscribe, command.params);
      if (subscriptions.delete(subscription_id)) return {};
      throw new Refusal('no_such_subscription', 'The subscription is not found');
    });
  }

  async function handle(text: string | undefined): Promise<void> {
    const command = read(text, services.limits.max_body_bytes);
    if ('type' in command) return sender.send(command);
    // A long replay does not hold up the commands behind it.
    if (command.method === 'subscription.subscribe') void subscribe(command);
    else if (command.method === 'subscription.unsubscribe') await sender.send(await unsubscribe(command));
    else await sender.send(await carried(command));
  }

  async function carried(command: Command): Promise<Envelope> {
    try {
      return await carryOut(command, { services, request, set, threadId });
    } catch (err) {
      const { id } = command;
      if (err instanceof SkeinError)
        return { type: 'error', id, error: 'unknown_error', message: err.detail ?? err.message };
      services.log.error({ err, thread_id: threadId }, 'a command failed');
      return { type: 'error', id, error: 'unknown_error', message: 'Internal error' };
    }
  }

  return {
    opened(socket) {
      sender.open(socket);
      if (expiresAt !== null) expiry = setTimeout(expire, expiresAt - Date.now());
    },
    received(text) {
      if (++waiting > MOST_WAITING) return sender.close(TOO_MANY, 'Too many commands at once');
      void commands(() => handle(text)).finally(() => waiting--);
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
    if (Value.Check(Command, value)) return value;
    return refused('Expected a command: {id, method, params}');
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    return refused(error.detail ?? error.message);
  }
}

/** Does one work after another; one that fails holds up none. */
function inOrder(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}
