/** Events of a thread, and the subscriptions that select them. */
import { type Static, Type } from '@sinclair/typebox';

type Method =
  | ('values' | 'updates' | 'messages' | 'tools' | 'lifecycle' | 'checkpoints' | 'tasks' | 'custom')
  | ('input.requested' | 'input.answered');

export interface UnnumberedEvent {
  method: Method;
  /** The enclosing graphs as `node:task_id`, outermost first; [] for the root graph. */
  namespace: string[];
  node?: string | undefined;
  /** `custom:<name>` if the graph named its data. */
  channel?: string;
  /** Called only if a client receives the event. Returns undefined if there is nothing to send. */
  data(): unknown;
  /** For lifecycle events of the root graph, the run that they describe. */
  runId?: string;
}

/** Events are numbered over all runs of a thread before they are filtered. Numbers increase and are unique. */
export interface ThreadEvent extends UnnumberedEvent {
  seq: number;
  /** Milliseconds since 1970. */
  at: number;
}

export interface WireEvent {
  type: 'event';
  event_id: string;
  seq: number;
  method: Method;
  params: { namespace: string[]; timestamp: number; node?: string | undefined; data: unknown };
}

/** Returns undefined if the event has no data to send. */
export async function wireEvent(event: ThreadEvent): Promise<WireEvent | undefined> {
  const { seq, method, namespace, at: timestamp, node, runId } = event;
  const data = await event.data();
  if (data === undefined) return undefined;
  // LangGraph's clients read the run's id from this form of event id.
  const event_id = runId === undefined ? String(seq) : `synth:${runId}:${seq}`;
  const params = { namespace, timestamp, ...(node !== undefined && { node }), data };
  return { type: 'event', event_id, seq, method, params };
}

const CHANNELS = ['values', 'updates', 'messages', 'tools', 'lifecycle', 'input', 'checkpoints', 'tasks'];

const Segment = Type.String({ minLength: 1, maxLength: 1000 });

export const Subscription = Type.Object(
  {
    channels: Type.Array(
      Type.String({
        pattern: `^(${CHANNELS.join('|')}|custom(:.{1,200})?)$`,
        description: `${CHANNELS.join(', ')}, custom, or custom:<name>`,
      }),
      { minItems: 1, maxItems: 100 },
    ),
    namespaces: Type.Optional(
      Type.Array(Type.Array(Segment, { maxItems: 100 }), {
        maxItems: 100,
        description: 'Prefixes of namespaces; a segment without a task id matches all tasks of its node',
      }),
    ),
    depth: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 100, description: 'Levels below the prefixes' }),
    ),
    since: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Send only events with a higher sequence number' }),
    ),
  },
  { title: 'LangGraphSubscription', additionalProperties: false },
);
export type Subscription = Static<typeof Subscription>;

/** Whether the subscription receives the event: the channel, the namespace, the depth and `since` must match. */
export function matches(
  { channels, namespaces = [], depth, since }: Subscription,
  event: ThreadEvent,
): boolean {
  if (since !== undefined && event.seq <= since) return false;
  const channel = event.channel ?? channelOf(event.method);
  const isNamed = channel.startsWith('custom:');
  if (!channels.includes(channel) && !(isNamed && channels.includes('custom'))) return false;
  if (namespaces.length === 0) return true;
  return namespaces.some((prefix) => {
    const levels = event.namespace.length - prefix.length;
    if (levels < 0 || (depth !== undefined && levels > depth)) return false;
    return prefix.every((segment, level) => matchesSegment(event.namespace[level] ?? '', segment));
  });
}

function channelOf(method: Method): string {
  return method.startsWith('input.') ? 'input' : method;
}

function matchesSegment(candidate: string, segment: string): boolean {
  if (candidate === segment) return true;
  return !segment.includes(':') && candidate.split(':', 1)[0] === segment;
}
