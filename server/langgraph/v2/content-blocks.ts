/** Messages of a run's log as events of content blocks: the blocks exist on the wire alone. */
import { messageOf } from '../../../graphs/adoption/stream/message-piece.ts';
import type { MessageDelta } from '../../../state/events.ts';

type Json = Record<string, unknown>;

export interface MessageEvents {
  /** The events of a piece of the message, or of the whole one. */
  push(piece: MessageDelta): Json[];
  /** The events that end it, where nothing has. `error`: why it stays unfinished. */
  end(error?: string): Json[];
}

interface Block {
  index: number;
  content: Json;
}

const ROLES: Record<string, string> = { human: 'human', system: 'system', tool: 'tool' };

/** `key` tells the message from others that are told at the same time. */
export function messageEvents(key: string): MessageEvents {
  const blocks = new Map<string, Block>();
  let state: 'new' | 'open' | 'ended' = 'new';
  let usage: Json | undefined;
  let metadata: Json = {};

  function push(piece: MessageDelta): Json[] {
    if (state === 'ended') return [];
    const message = messageOf(piece);
    const events = state === 'new' ? [started(message)] : [];
    state = 'open';
    for (const part of partsOf(message)) events.push(...told(part));
    usage = sum(usage, message.usage_metadata);
    metadata = { ...metadata, ...(message.response_metadata as Json | undefined) };
    return isLast(piece, message) ? [...events, ...end()] : events;
  }

  /** A whole message is its only piece. Models say last why they stopped, and what they used, with one piece or two. */
  function isLast({ chunk }: MessageDelta, message: Json): boolean {
    if (chunk === undefined) return false;
    if (!Array.isArray(message.tool_call_chunks) || message.chunk_position === 'last') return true;
    return usage !== undefined && reason() !== undefined;
  }

  function reason(): string | undefined {
    const given = metadata.finish_reason ?? metadata.stop_reason ?? metadata.finishReason;
    return typeof given === 'string' ? given : undefined;
  }

  function started({ id, type, tool_call_id }: Json): Json {
    const role = ROLES[String(type)];
    return {
      event: 'message-start',
      ...(id !== undefined && { id }),
      run_id: key,
      ...(role && { role }),
      ...(tool_call_id !== undefined && { tool_call_id }),
    };
  }

  /** A block begins with its first part; each part of text after that is a delta. */
  function told({ slot, content }: Part): Json[] {
    const known = blocks.get(slot ?? '');
    const block: Block = known ?? { index: blocks.size, content: emptied(content) };
    if (!known) blocks.set(slot ?? `whole:${block.index}`, block);
    const begin = known ? [] : [event('content-block-start', block)];
    const delta = deltaOf(block, content);
    return delta
      ? [...begin, { event: 'content-block-delta', run_id: key, index: block.index, delta }]
      : begin;
  }

  function event(name: string, { index, content }: Block): Json {
    return { event: name, run_id: key, index, content };
  }

  function end(error?: string): Json[] {
    if (state !== 'open') return [];
    state = 'ended';
    if (error !== undefined) return [{ event: 'error', run_id: key, message: error }];
    const finished = Array.from(blocks.values(), ({ index, content }) =>
      event('content-block-finish', { index, content: finalized(content) }),
    );
    const why = reason();
    const known = { ...(why !== undefined && { reason: why }), ...(usage && { usage }) };
    const finish = { event: 'message-finish', run_id: key, ...known, responseMetadata: metadata };
    return [...finished, finish];
  }

  return { push, end };
}

interface Part {
  /** Parts of one slot are one block; without a slot, the part is a block of its own. */
  slot?: string;
  content: Json;
}

function partsOf({ content, tool_call_chunks: chunks, tool_calls: calls }: Json): Part[] {
  const texts = typeof content === 'string' ? [{ type: 'text', text: content }] : list(content);
  const parts = texts.filter(({ text }) => text !== '').map(partOf);
  const pieces = list(chunks).map(callPart);
  const isToldAsBlock = parts.some(({ content }) => String(content.type).startsWith('tool_call'));
  if (pieces.length > 0 || isToldAsBlock) return [...parts, ...pieces];
  const whole = list(calls).map((call) => ({
    slot: `call:${call.id}`,
    content: { ...call, type: 'tool_call' },
  }));
  return [...parts, ...whole];
}

function partOf(block: Json): Part {
  const { index, ...content } = block;
  const { type } = content;
  if (type === 'thinking')
    return { slot: `reasoning:${index ?? 0}`, content: { type: 'reasoning', reasoning: content.thinking } };
  if (type === 'text' || type === 'reasoning') return { slot: `${type}:${index ?? 0}`, content };
  return { ...(index !== undefined && { slot: `${type}:${index}` }), content };
}

function callPart({ index, ...chunk }: Json): Part {
  return { slot: `call:${index ?? chunk.id ?? 0}`, content: { ...chunk, type: 'tool_call_chunk' } };
}

/** As its block begins. */
function emptied(content: Json): Json {
  switch (content.type) {
    case 'text':
      return { ...content, text: '' };
    case 'reasoning':
      return { ...content, reasoning: '' };
    case 'tool_call_chunk':
      return { ...content, args: '' };
    default:
      return content;
  }
}

/** Adds the part to its block. What clients merge, they merge by key, so a call's arguments are sent as they are so far. */
function deltaOf(block: Block, part: Json): Json | undefined {
  const { content } = block;
  if (part.type === 'text' || part.type === 'reasoning') {
    const key = part.type;
    if (typeof part[key] !== 'string' || part[key] === '') return undefined;
    block.content = { ...content, ...part, [key]: `${content[key]}${part[key]}` };
    return { type: `${key}-delta`, [key]: part[key] };
  }
  if (part.type !== 'tool_call_chunk') return undefined;
  const args = `${content.args}${part.args ?? ''}`;
  block.content = {
    ...content,
    args,
    ...(part.id ? { id: part.id } : {}),
    ...(part.name ? { name: part.name } : {}),
  };
  return part.args ? { type: 'block-delta', fields: block.content } : undefined;
}

function finalized(content: Json): Json {
  if (content.type !== 'tool_call_chunk') return content;
  const { id, name, args } = content;
  try {
    return { type: 'tool_call', id, name, args: args === '' ? {} : JSON.parse(String(args)) };
  } catch {
    return { type: 'invalid_tool_call', id, name, args, error: 'The arguments are not valid JSON' };
  }
}

function sum(known: Json | undefined, more: unknown): Json | undefined {
  if (typeof more !== 'object' || more === null) return known;
  const counts = Object.entries(more).map(([name, count]) => {
    const before = known?.[name];
    return [name, typeof count === 'number' && typeof before === 'number' ? before + count : count];
  });
  return { ...known, ...Object.fromEntries(counts) };
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
}
