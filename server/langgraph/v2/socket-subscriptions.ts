/** The subscriptions of a WebSocket. Events are sent in order, and only once even if several subscriptions match. */
import { Type } from '@sinclair/typebox';
import type { Services } from '../../services.ts';
import { checkedParams } from './command-call.ts';
import { type Command, CommandError, respond } from './envelope.ts';
import { matches, Subscription, type ThreadEvent, wireEvent } from './event.ts';
import type { SocketSender } from './socket-sender.ts';
import { type ThreadScope, threadEvents } from './thread-events.ts';

export interface SocketSubscriptions {
  /** Resolves when the response, and after it the replayed events, are sent. */
  add(command: Command): Promise<void>;
  remove(command: Command): Promise<void>;
}

export interface SubscriptionParts {
  services: Pick<Services, 'runtime' | 'archive' | 'states'>;
  scope: ThreadScope;
  sender: SocketSender;
  /** Called when there are no more events. `error`: why they can't be read. */
  ended(error?: unknown): void;
}

const MAX_SUBSCRIPTIONS = 100;

const Unsubscribe = Type.Object(
  { subscription_id: Type.String({ maxLength: 100 }) },
  { additionalProperties: true },
);

export function socketSubscriptions({
  services,
  scope,
  sender,
  ended,
}: SubscriptionParts): SocketSubscriptions {
  const { threadId } = scope;
  const subscriptions = new Map<string, Subscription>();
  /** The ids of subscriptions that are still receiving past events. */
  const replaying = new Set<string>();
  const enqueue = serialQueue();
  /** The number of the last event that was sent to the subscriptions that match it. */
  let cursor = 0;
  let isPumping = false;

  async function pump(): Promise<void> {
    if (isPumping) return;
    isPumping = true;
    for await (const events of threadEvents(services, scope))
      await enqueue(async () => {
        for (const event of events) {
          cursor = event.seq;
          if ([...subscriptions.values()].some((subscription) => matches(subscription, event)))
            await send(event);
        }
      });
  }

  /** Sends a new subscription the past events that match it, up to number `last`. */
  async function replay(id: string, subscription: Subscription, last: number): Promise<void> {
    if (last === 0) return;
    for await (const events of threadEvents(services, scope)) {
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

  function parse({ params }: Command): Subscription {
    const subscription = checkedParams(Subscription, params);
    if (subscriptions.size < MAX_SUBSCRIPTIONS) return subscription;
    throw new CommandError(
      'invalid_argument',
      `A connection can have at most ${MAX_SUBSCRIPTIONS} subscriptions`,
    );
  }

  return {
    add: (command) =>
      enqueue(async () => {
        const id = Bun.randomUUIDv7();
        let added: Subscription | undefined;
        const response = await respond(command, threadId, async () => {
          added = parse(command);
          return { subscription_id: id };
        });
        // Register it before the response, because the client may unsubscribe right after that.
        if (added) replaying.add(id);
        await sender.send(response);
        if (!added) return;
        await replay(id, added, cursor);
        if (!replaying.delete(id)) return;
        subscriptions.set(id, added);
        if (!isPumping) void pump().then(() => ended(), ended);
      }),
    async remove(command) {
      const response = await respond(command, threadId, async () => {
        const { subscription_id } = checkedParams(Unsubscribe, command.params);
        if (replaying.delete(subscription_id) || subscriptions.delete(subscription_id)) return {};
        throw new CommandError('no_such_subscription', 'Subscription not found');
      });
      await sender.send(response);
    },
  };
}

/** Runs tasks one after another. A task that fails doesn't stop the next ones. */
export function serialQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const done = last.then(task);
    last = done.catch(() => {});
    return done;
  };
}
