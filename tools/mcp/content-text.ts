/** The result of an MCP tool as a model reads it, and as its message keeps it: bounded, and as data. */
import { UNTRUSTED } from '../text/block.ts';
import type { McpContent, McpResult } from './connection.ts';

const MOST_CHARACTERS = 50_000;

/** Text as it is; what is no text is named. */
export function contentText({ content, structuredContent, isError }: McpResult): string {
  const parts = content.map(partText).filter((part) => part !== '');
  if (parts.length === 0 && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent));
  const text = parts.join('\n\n');
  const shown =
    text.length > MOST_CHARACTERS
      ? `${text.slice(0, MOST_CHARACTERS)}\n[cut off: ${text.length - MOST_CHARACTERS} more characters]`
      : text;
  return isError ? shown : `${UNTRUSTED}\n${shown}`;
}

const MOST_STRUCTURE = 500_000;

/** What a message keeps beside the text: a checkpoint has it for as long as the thread. Null where there is none, or too much. */
export function keptStructure({ structuredContent = null }: McpResult): unknown {
  return JSON.stringify(structuredContent).length > MOST_STRUCTURE ? null : structuredContent;
}

function partText({ type, text, resource, uri, mimeType }: McpContent): string {
  if (type === 'text') return String(text ?? '');
  const embedded = (resource ?? {}) as { uri?: unknown; text?: unknown };
  if (typeof embedded.text === 'string') return embedded.text;
  const place = uri ?? embedded.uri;
  return `[${type}${mimeType === undefined ? '' : ` ${mimeType}`}${place === undefined ? '' : ` at ${place}`}]`;
}
