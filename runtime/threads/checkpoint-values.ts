/** A checkpoint's values as people read and change them: the public channels, messages by role. */
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { asJson, chatMessageJson } from '../../graphs/adoption/message-json.ts';
import { isPublic } from '../../graphs/authoring/public-channels.ts';
import type { CompiledGraph } from '../../graphs/authoring/workflow.ts';
import { SkeinError } from '../../state/errors.ts';

type Values = Record<string, unknown>;

/** The public channels as JSON has them. */
export function readableValues(values: Values): Values {
  const shown = Object.entries(values).filter(([channel]) => isPublic(channel));
  return Object.fromEntries(
    shown.map(([channel, value]) => [channel, asJson(value, chatMessageJson) ?? null]),
  );
}

const GivenMessages = Type.Array(
  Type.Object({
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    role: Type.Union([Type.Literal('user'), Type.Literal('assistant'), Type.Literal('system')]),
    content: Type.String({ minLength: 1 }),
  }),
);

const TYPES = { user: HumanMessage, assistant: AIMessage, system: SystemMessage };

export interface Update {
  /** What LangGraph's `updateState` takes. */
  values: Values;
  /** The messages among them. */
  messages: BaseMessage[];
}

/**
 * What the caller wants merged into `current`, checked against the graph's channels and tried on each of their
 * reducers. Throws INVALID_REQUEST, which names `values.<channel>`.
 */
export function checkedUpdate({ channels }: CompiledGraph, current: Values, given: Values): Update {
  for (const channel of Object.keys(given)) {
    if (!isPublic(channel) || !Object.hasOwn(channels, channel)) {
      throw refused(channel, 'the workflow has no such channel');
    }
  }
  const messages = given.messages === undefined ? [] : toMessages(given.messages);
  if (given.summary !== undefined && typeof given.summary !== 'string') {
    throw refused('summary', 'expected text');
  }
  if (given.outputs !== undefined && given.outputs !== null && !Array.isArray(given.outputs)) {
    throw refused('outputs', 'expected a list or null');
  }
  const values = given.messages === undefined ? given : { ...given, messages };
  for (const [channel, value] of Object.entries(values)) attempt(channels, channel, current[channel], value);
  return { values, messages };
}

function toMessages(given: unknown): BaseMessage[] {
  if (!Value.Check(GivenMessages, given)) {
    throw refused('messages', 'expected a list of {id?, role: user, assistant or system, content: text}');
  }
  return (given as Static<typeof GivenMessages>).map(
    ({ id, role, content }) => new TYPES[role]({ content, id: id ?? Bun.randomUUIDv7() }),
  );
}

interface Channel {
  fromCheckpoint(value: unknown): { update(values: unknown[]): boolean };
}

/** A reducer may throw at what it does not expect: the caller is told which, before anything is copied. */
function attempt(channels: Values, name: string, current: unknown, value: unknown): void {
  const channel = channels[name] as Channel;
  try {
    channel.fromCheckpoint(structuredCloneOf(current)).update([value]);
  } catch (cause) {
    throw refused(name, "the channel's reducer refuses the value", cause);
  }
}

/** A list of its own, so that a reducer that changes it in place changes nothing of the checkpoint. */
function structuredCloneOf(current: unknown): unknown {
  return Array.isArray(current) ? [...current] : current;
}

function refused(channel: string, rule: string, cause?: unknown): SkeinError {
  const name = /^[\w-]{1,64}$/.test(channel) ? channel : '?';
  return new SkeinError('INVALID_REQUEST', { detail: `values.${name}: ${rule}`, cause });
}
