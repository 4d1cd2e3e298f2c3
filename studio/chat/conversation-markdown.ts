/** A conversation as a Markdown document. What was said stays in its quote or its code block, whatever it says. */
import type { Message, Thread } from '../data/threads.ts';
import { citationsIn, placeOf } from '../output/citation.ts';

type Head = Pick<Thread, 'thread_id' | 'title'>;

export function conversationMarkdown({ thread_id, title }: Head, messages: Message[]): string {
  const parts = [`# ${escaped(title || 'Conversation')}`, `Conversation ${escaped(thread_id)}`];
  for (const message of messages)
    parts.push(...(message.role === 'user' ? question(message) : answer(message)));
  return `${parts.join('\n\n')}\n`;
}

function question({ content, created_at }: Message): string[] {
  return [`## Question, ${timeText(created_at)}`, fenced(content)];
}

function answer({ content, outputs, status, workflow, created_at, token_count }: Message): string[] {
  const facts = [escaped(workflow), timeText(created_at)];
  if (token_count !== undefined) facts.push(`${token_count} tokens`);
  const given = (outputs ?? []).filter((one) => one.content !== '' || (one.data ?? null) !== null);
  const said = given.length > 0 ? given.flatMap(outputParts) : content === '' ? [] : [quoted(content)];
  const end = status === 'cancelled' ? ['Cancelled before its end.'] : [];
  return [`## Answer, ${facts.join(', ')}`, ...said, ...end];
}

function outputParts({ agent, content, data }: { agent: string; content: string; data?: unknown }): string[] {
  const said = content === '' ? fenced(JSON.stringify(data, null, 2), 'json') : quoted(content);
  const sources = (citationsIn(data) ?? []).map((one) => {
    const place = placeOf(one);
    return `- [${one.n}] ${escaped(one.document)}${place && `, ${escaped(place)}`}`;
  });
  const listed = sources.length > 0 ? ['Sources:', sources.join('\n')] : [];
  return [`### ${escaped(agent)}`, said, ...listed];
}

/**
 * What would not stay in a quote: tags and comments, which may close it; pictures, which are loaded; links that may run
 * code; and definitions of links and footnotes, which count for the whole document.
 */
const NOT_QUOTED = /<[a-z/!?]|!\[|\]\(\s*(?!https?:\/\/|mailto:)|\]:/i;

/** As it is formatted, where that cannot go beyond its quote; else as plain text. */
function quoted(text: string): string {
  if (NOT_QUOTED.test(text)) return fenced(text);
  return linesOf(text)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

const LEAST_FENCE = 3;

/** Between fences that are longer than any in it. */
function fenced(text: string, language = 'text'): string {
  const inside = text.match(/`+/g)?.map(({ length }) => length) ?? [];
  const fence = '`'.repeat(Math.max(LEAST_FENCE, Math.max(0, ...inside) + 1));
  return [`${fence}${language}`, ...linesOf(text), fence].join('\n');
}

function linesOf(text: string): string[] {
  return text.split(/\r\n?|\n/);
}

/** In one line, as plain words. */
function escaped(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

function timeText(at: string): string {
  return `${at.slice(0, 19).replace('T', ' ')} UTC`;
}
