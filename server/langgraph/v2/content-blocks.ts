/** Converts the message chunks of a run's log to content block events. The log itself has no blocks. */
import { messageOf } from '../../../graphs/adoption/stream/message-piece.ts';
import type { MessageDelta } from '../../../state/threads/events.ts';

type Json = Record<string, unknown>;

export interface MessageEvents {
  /** Returns the events of a chunk, or of a complete message. */
  push(delta: MessageDelta): Json[];
  /** Returns the events that finish the message; [] if it is already finished. `error`: why the message is incomplete. */
  end(error?: string): Json[];
}

interface Block {
  index: number;
  content: Json;
}

const ROLES: Record<string, string> = { human: 'human', system: 'system', tool: 'tool' };

/** `key` identifies the message among the messages that are streamed at the same time. */
export function messageEvents(key: string): MessageEvents {
  const blocks = new Map<string, Block>();
  let state: 'new' | 'open' | 'ended' = 'new';
  let usage: Json | undefined;
  let metadata: Json = {};

  function push(delta: MessageDelta): Json[] {
    if (state === 'ended') return [];
    const message = messageOf(delta);
    const events = state === 'new' ? [startEvent(message)] : [];
    state = 'open';
    for (const part of partsOf(message)) events.push(...addPart(part));
    usage = sum(usage, message.usage_metadata);
    metadata = { ...metadata, ...(message.response_metadata as Json | undefined) };
    return isLast(delta, message) ? [...events, ...end()] : events;
  }

  /**
   * A complete message has no other chunks. A streamed message ends with its finish reason and its usage, which models send
   * in one chunk or in two.
   */
  function isLast({ chunk }: MessageDelta, message: Json): boolean {
    if (chunk === undefined) return false;
    if (!Array.isArray(message.tool_call_chunks) || message.chunk_position === 'last') return true;
    return usage !== undefined && finishReason() !== undefined;
  }

  /** Providers use different names for the reason. */
  function finishReason(): string | undefined {
    const reason = metadata.finish_reason ?? metadata.stop_reason ?? metadata.finishReason;
    return typeof reason === 'string' ? reason : undefined;
  }

  function startEvent({ id, type, tool_call_id }: Json): Json {
    const role = ROLES[String(type)];
    return {
      event: 'message-start',
      ...(id !== undefined && { id }),
      run_id: key,
      ...(role && { role }),
      ...(tool_call_id !== undefined && { tool_call_id }),
    };
  }

  /** The first part starts a block. Text, reasoning and arguments of tool calls are sent as deltas. */
  function addPart({ blockKey, content }: Part): Json[] {
    const existing = blocks.get(blockKey ?? '');
    const block: Block = existing ?? { index: blocks.size, content: initialContent(content) };
    if (!existing) blocks.set(blockKey ?? `whole:${block.index}`, block);
    const start = existing ? [] : [event('content-block-start', block)];
    const delta = deltaOf(block, content);
    return delta
      ? [...start, { event: 'content-block-delta', run_id: key, index: block.index, delta }]
      : start;
  }

  function event(name: string, { index, content }: Block): Json {
    return { event: name, run_id: key, index, content };
  }

  function end(error?: string): Json[] {
    if (state !== 'open') return [];
    state = 'ended';
    if (error !== undefined) return [{ event: 'error', run_id: key, message: error }];
    const finished = Array.from(blocks.values(), ({ index, content }) =>
      event('content-block-finish', { index, content: finalContent(content) }),
    );
    const reason = finishReason();
    const details = { ...(reason !== undefined && { reason }), ...(usage && { usage }) };
    const finish = { event: 'message-finish', run_id: key, ...details, responseMetadata: metadata };
    return [...finished, finish];
  }

  return { push, end };
}

interface Part {
  /** Parts with the same key form one block. A part without a key is a complete block. */
  blockKey?: string;
  content: Json;
}

function partsOf({ content, tool_call_chunks: chunks, tool_calls: calls }: Json): Part[] {
  const texts = typeof content === 'string' ? [{ type: 'text', text: content }] : list(content);
  const parts = texts.filter(({ text }) => text !== '').map(partOf);
  const callChunks = list(chunks).map(callPart);
  const hasCallBlocks = parts.some(({ content }) => String(content.type).startsWith('tool_call'));
  if (callChunks.length > 0 || hasCallBlocks) return [...parts, ...callChunks];
  const completeCalls = list(calls).map((call) => ({
    blockKey: `call:${call.id}`,
    content: { ...call, type: 'tool_call' },
  }));
  return [...parts, ...completeCalls];
}

function partOf(block: Json): Part {
  const { index, ...content } = block;
  const { type } = content;
  if (type === 'thinking')
    return {
      blockKey: `reasoning:${index ?? 0}`,
      content: { type: 'reasoning', reasoning: content.thinking },
    };
  if (type === 'text' || type === 'reasoning') return { blockKey: `${type}:${index ?? 0}`, content };
  return { ...(index !== undefined && { blockKey: `${type}:${index}` }), content };
}

function callPart({ index, ...chunk }: Json): Part {
  return { blockKey: `call:${index ?? chunk.id ?? 0}`, content: { ...chunk, type: 'tool_call_chunk' } };
}

/** The content of a block before its first delta. */
function initialContent(content: Json): Json {
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

/**
 * Adds the part to its block, and returns the delta to send; otherwise undefined. Clients merge `fields` by key, so
 * the delta of a tool call contains all its arguments so far.
 */
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

function finalContent(content: Json): Json {
  if (content.type !== 'tool_call_chunk') return content;
  const { id, name, args } = content;
  try {
    return { type: 'tool_call', id, name, args: args === '' ? {} : JSON.parse(String(args)) };
  } catch {
    return { type: 'invalid_tool_call', id, name, args, error: 'The arguments are not valid JSON' };
  }
}

/** Adds up usage counts. */
function sum(total: Json | undefined, more: unknown): Json | undefined {
  if (typeof more !== 'object' || more === null) return total;
  const counts = Object.entries(more).map(([name, count]) => {
    const before = total?.[name];
    return [name, typeof count === 'number' && typeof before === 'number' ? before + count : count];
  });
  return { ...total, ...Object.fromEntries(counts) };
}

function list(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}
