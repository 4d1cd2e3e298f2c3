/** The subscriptions of a WebSocket: its events in one order, each sent once for all that want it. */
import { Type } from '@sinclair/typebox';
import type { Services } from '../../services.ts';
import { checkedParams } from './command-call.ts';
import { answered, type Command, Refusal } from './envelope.ts';
import { matches, Subscription, type ThreadEvent, wireEvent } from './event.ts';
import type { SocketSender } from './socket-sender.ts';
import { type OfThread, threadEvents } from './thread-events.ts';

export interface SocketSubscriptions {
  /** Resolves when the answer and what it replays are sent, in this order. */
  add(command: Command): Promise<void>;
  remove(command: Command): Promise<void>;
}

export interface SubscriptionParts {
  services: Pick<Services, 'runtime' | 'archive' | 'states'>;
  of: OfThread;
  sender: SocketSender;
  /** There are no more events; `error`: because they cannot be read. */
  ended(error?: unknown): void;
}

const MOST_SUBSCRIPTIONS = 100;

const Unsubscribe = Type.Object(
  { subscription_id: Type.String({ maxLength: 100 }) },
  { additionalProperties: true },
);

export function socketSubscriptions({ services, of, sender, ended }: SubscriptionParts): SocketSubscriptions {
  const { threadId } = of;
  const subscriptions = new Map<string, Subscription>();
  /** Those that get what was before them. */
  const replaying = new Set<string>();
  const next = inOrder();
  /** The number of the last event that went to those who wanted it. */
  let cursor = 0;
  let isPumping = false;

  async function pump(): Promise<void> {
    if (isPumping) return;
    isPumping = true;
    for await (const events of threadEvents(services, of))
      await next(async () => {
        for (const event of events) {
          cursor = event.seq;
          if ([...subscriptions.values()].some((one) => matches(one, event))) await send(event);
        }
      });
  }

  /** What the others have had, up to event `last`. */
  async function replay(id: string, subscription: Subscription, last: number): Promise<void> {
    if (last === 0) return;
    for await (const events of threadEvents(services, of)) {
      for (const event of events) {
        if (event.seq > last || !replaying.has(id)) return;
        if (matches(subscription, event)) await send(event);
      }
      if (events.length === 0) return;
    }
  }

  async function send(event: ThreadEvent): Promise<void> {
    const wire = await wireEvent(event);
    if (wire) await sender.send(wire);
  }

  function read({ params }: Command): Subscription {
    const subscription = checkedParams(Subscription, params);
    if (subscriptions.size < MOST_SUBSCRIPTIONS) return subscription;
    throw new Refusal('invalid_argument', `At most ${MOST_SUBSCRIPTIONS} subscriptions`);
  }

  return {
    add: (command) =>
      next(async () => {
        const id = Bun.randomUUIDv7();
        let added: Subscription | undefined;
        const answer = await answered(command, threadId, async () => {
          added = read(command);
          return { subscription_id: id };
        });
        // Known before its client is told, which may end it at once.
        if (added) replaying.add(id);
        await sender.send(answer);
        if (!added) return;
        await replay(id, added, cursor);
        if (!replaying.delete(id)) return;
        subscriptions.set(id, added);
        if (!isPumping) void pump().then(() => ended(), ended);
      }),
    async remove(command) {
      const answer = await answered(command, threadId, async () => {
        const { subscription_id } = checkedParams(Unsubscribe, command.params);
        if (replaying.delete(subscription_id) || subscriptions.delete(subscription_id)) return {};
        throw new Refusal('no_such_subscription', 'The subscription is not found');
      });
      await sender.send(answer);
    },
  };
}

/** Does one work after another; one that fails holds up none. */
export function inOrder(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}
