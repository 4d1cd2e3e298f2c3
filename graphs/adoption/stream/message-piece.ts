/** Messages, whole or in pieces, as log entries for LangGraph's stream of messages. */
import type { BaseMessage } from '@langchain/core/messages';
import type { GraphLocation, MessageDelta } from '../../../state/threads/events.ts';
import { asJson } from '../message-json.ts';
import { wireMessage } from '../wire-message.ts';

/** The fields of a log entry besides text and id. `metadata` is only passed with the first piece of a message. */
export function messagePiece(
  message: object,
  text: string,
  metadata: Record<string, unknown> | undefined,
): Pick<MessageDelta, 'chunk' | 'metadata'> {
  const { id: _, content, ...rest } = wireMessage(message as BaseMessage);
  const isText = content === text;
  const chunk = isText && isPlain(rest) ? {} : isText ? rest : { ...rest, content };
  return { chunk, ...(metadata && { metadata: asJson(metadata) as Record<string, unknown> }) };
}

/** The entry's message in the format of LangGraph's clients. */
export function messageOf({ delta, id, chunk }: MessageDelta): Record<string, unknown> {
  const fields = chunk?.type === undefined ? PLAIN : chunk;
  return { content: delta, ...fields, ...(id !== undefined && { id }) };
}

/** Most pieces are plain text with these fields. Their entries omit the message. */
const PLAIN = {
  ...{ additional_kwargs: {}, response_metadata: {}, tool_calls: [], invalid_tool_calls: [] },
  ...{ tool_call_chunks: [], type: 'ai' },
};
const PARTS = Object.keys(PLAIN).length;

function isPlain(fields: Record<string, unknown>): boolean {
  if (fields.type !== 'ai' || Object.keys(fields).length !== PARTS) return false;
  return (
    Object.values(fields).every((value) => value === 'ai' || isEmpty(value)) && 'tool_call_chunks' in fields
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Gives a message the id that it will have in the state, as LangGraph does when it streams messages. */
export function identify(message: BaseMessage): void {
  if (message.id !== undefined) return;
  message.id = Bun.randomUUIDv7();
  message.lc_kwargs.id = message.id;
}

/** The metadata that LangChain's callbacks would have for a task. */
export function taskMetadata({ ns = [], node, taskId, step }: GraphLocation): Record<string, unknown> {
  return {
    langgraph_node: node,
    ...(step !== undefined && { langgraph_step: step }),
    langgraph_checkpoint_ns: [...ns, `${node}:${taskId}`].join('|'),
  };
}
