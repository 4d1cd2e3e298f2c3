/** Converts a checkpoint's values for display: only public channels, and messages by role. */
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { asJson, chatMessageJson } from '../../graphs/adoption/message-json.ts';
import { isPublic } from '../../graphs/authoring/public-channels.ts';
import type { CompiledGraph } from '../../graphs/authoring/workflow.ts';
import { SkeinError } from '../../state/errors.ts';
import { overwriting, type Replacement, replacement } from './replaced-values.ts';

type Values = Record<string, unknown>;

/** The public channels as JSON. */
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
  /** The values for LangGraph's `updateState`. */
  values: Values;
  /** The messages in `values`. */
  messages: BaseMessage[];
}

/** Changes of a state, by channel. */
export interface Changes {
  /** Values that the reducers merge into the state. */
  values: Values;
  /** Values that replace the current ones. */
  replace: Values;
}

/**
 * Checks the changes against the graph's channels by applying them to copies. Throws INVALID_REQUEST, which names
 * `values.<channel>` or `replace.<channel>`.
 */
export function checkedUpdate(graph: CompiledGraph, current: Values, { values, replace }: Changes): Update {
  const merged = checkedMerge(graph, current, values);
  const replaced = checkedReplace(graph, current, replace);
  const twice = Object.keys(replace).find((channel) => Object.hasOwn(values, channel));
  if (twice !== undefined) throw refused('replace', twice, 'the channel is also in values');
  return {
    values: { ...merged.values, ...replaced.values },
    messages: [...merged.messages, ...replaced.messages],
  };
}

function checkedMerge({ channels }: CompiledGraph, current: Values, given: Values): Update {
  checkShape('values', channels, given);
  const messages = given.messages === undefined ? [] : toMessages(given.messages);
  const values = given.messages === undefined ? given : { ...given, messages };
  for (const [channel, value] of Object.entries(values))
    attempt({ field: 'values', channels, channel }, current[channel], value);
  return { values, messages };
}

function checkedReplace({ channels }: CompiledGraph, current: Values, given: Values): Update {
  checkShape('replace', channels, given);
  const replaced = Object.entries(given).map(([channel, value]) => {
    const update = { field: 'replace' as const, channels, channel };
    const made = replacementFor(channel, current[channel], value);
    const written = overwriting(channels[channel], made.value);
    attempt(update, current[channel], written);
    return { channel, written, messages: channel === 'messages' ? made.messages : [] };
  });
  return {
    values: Object.fromEntries(replaced.map(({ channel, written }) => [channel, written])),
    messages: replaced.flatMap(({ messages }) => messages),
  };
}

function replacementFor(channel: string, current: unknown, given: unknown): Replacement {
  try {
    return replacement(channel, current, given);
  } catch (cause) {
    const rule = 'expected a list of {id?, role: user, assistant, system or tool, content}';
    throw refused('replace', channel, rule, cause);
  }
}

/** Checks that the channels exist and are public, and the types of the channels of workflows built with `workflow()`. */
function checkShape(field: Field, channels: Values, given: Values): void {
  for (const channel of Object.keys(given)) {
    if (!isPublic(channel) || !Object.hasOwn(channels, channel))
      throw refused(field, channel, 'the workflow has no such channel');
  }
  if (given.summary !== undefined && typeof given.summary !== 'string')
    throw refused(field, 'summary', 'expected text');
  if (given.outputs !== undefined && given.outputs !== null && !Array.isArray(given.outputs))
    throw refused(field, 'outputs', 'expected a list or null');
}

function toMessages(given: unknown): BaseMessage[] {
  if (!Value.Check(GivenMessages, given)) {
    throw refused(
      'values',
      'messages',
      'expected a list of {id?, role: user, assistant or system, content: text}',
    );
  }
  return (given as Static<typeof GivenMessages>).map(
    ({ id, role, content }) => new TYPES[role]({ content, id: id ?? Bun.randomUUIDv7() }),
  );
}

/** The used part of LangGraph's `BaseChannel`. */
export interface Channel {
  fromCheckpoint(value: unknown): { update(values: unknown[]): boolean; checkpoint(): unknown };
}

interface ChannelUpdate {
  field: Field;
  channels: Values;
  channel: string;
}

/** A reducer may throw for an unexpected value, so try it before anything is written, and name the channel in the error. */
function attempt({ field, channels, channel: name }: ChannelUpdate, current: unknown, value: unknown): void {
  const channel = channels[name] as Channel;
  try {
    channel.fromCheckpoint(structuredCloneOf(current)).update([value]);
  } catch (cause) {
    throw refused(field, name, "the channel's reducer rejects the value", cause);
  }
}

/** Copies a list, so that a reducer that changes its argument doesn't change the checkpoint. */
function structuredCloneOf(current: unknown): unknown {
  return Array.isArray(current) ? [...current] : current;
}

type Field = keyof Changes;

function refused(field: Field, channel: string, rule: string, cause?: unknown): SkeinError {
  const name = /^[\w-]{1,64}$/.test(channel) ? channel : '?';
  return new SkeinError('INVALID_REQUEST', { detail: `${field}.${name}: ${rule}`, cause });
}
