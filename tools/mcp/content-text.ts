/** The result of an MCP tool, for the model and for the message: limited in size, and marked as data. */
import { UNTRUSTED } from '../text/block.ts';
import type { McpContent, McpResult } from './connection.ts';

const MAX_CHARACTERS = 50_000;

/** Text stays unchanged. Other content is replaced by its type. */
export function contentText({ content, structuredContent: boundedStructure, isError }: McpResult): string {
  const parts = content.map(partText).filter((part) => part !== '');
  if (parts.length === 0 && boundedStructure !== undefined) parts.push(JSON.stringify(boundedStructure));
  const text = parts.join('\n\n');
  const shown =
    text.length > MAX_CHARACTERS
      ? `${text.slice(0, MAX_CHARACTERS)}\n[cut off: ${text.length - MAX_CHARACTERS} more characters]`
      : text;
  return isError ? shown : `${UNTRUSTED}\n${shown}`;
}

const MAX_STRUCTURE = 500_000;

/**
 * The structured content that a message keeps, and that checkpoints store as long as the thread exists. Null if it is missing
 * or too large.
 */
export function structuredContent({ structuredContent = null }: McpResult): unknown {
  return JSON.stringify(structuredContent).length > MAX_STRUCTURE ? null : structuredContent;
}

function partText({ type, text, resource, uri, mimeType }: McpContent): string {
  if (type === 'text') return String(text ?? '');
  const embedded = (resource ?? {}) as { uri?: unknown; text?: unknown };
  if (typeof embedded.text === 'string') return embedded.text;
  const address = uri ?? embedded.uri;
  return `[${type}${mimeType === undefined ? '' : ` ${mimeType}`}${address === undefined ? '' : ` at ${address}`}]`;
}
