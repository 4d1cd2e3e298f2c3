/** A conversation as a Markdown document. No text can break out of its quote or code block. */
import type { Message, Thread } from '../../data/threads/threads.ts';
import { citationsIn, placeOf } from '../../output/citation.ts';

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
  const answers = (outputs ?? []).filter((one) => one.content !== '' || (one.data ?? null) !== null);
  const text = answers.length > 0 ? answers.flatMap(outputParts) : content === '' ? [] : [quoted(content)];
  const end = status === 'cancelled' ? ['Cancelled before completion.'] : [];
  return [`## Answer, ${facts.join(', ')}`, ...text, ...end];
}

function outputParts({ agent, content, data }: { agent: string; content: string; data?: unknown }): string[] {
  const text = content === '' ? fenced(JSON.stringify(data, null, 2), 'json') : quoted(content);
  const sources = (citationsIn(data) ?? []).map((one) => {
    const place = placeOf(one);
    return `- [${one.n}] ${escaped(one.document)}${place && `, ${escaped(place)}`}`;
  });
  const listed = sources.length > 0 ? ['Sources:', sources.join('\n')] : [];
  return [`### ${escaped(agent)}`, text, ...listed];
}

/**
 * Markup that is unsafe in a quote: HTML tags and comments, which may end it; images, which would be loaded; links that may
 * run code; and definitions of links and footnotes, which apply to the whole document.
 */
const UNSAFE_IN_QUOTE = /<[a-z/!?]|!\[|\]\(\s*(?!https?:\/\/|mailto:)|\]:/i;

/** A quote with the text's Markdown, or a code block if the Markdown is unsafe in a quote. */
function quoted(text: string): string {
  if (UNSAFE_IN_QUOTE.test(text)) return fenced(text);
  return linesOf(text)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

const MIN_FENCE = 3;

/** A code block whose fence is longer than any run of backticks in the text. */
function fenced(text: string, language = 'text'): string {
  const inside = text.match(/`+/g)?.map(({ length }) => length) ?? [];
  const fence = '`'.repeat(Math.max(MIN_FENCE, Math.max(0, ...inside) + 1));
  return [`${fence}${language}`, ...linesOf(text), fence].join('\n');
}

function linesOf(text: string): string[] {
  return text.split(/\r\n?|\n/);
}

/** One line of plain text. */
function escaped(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

function timeText(at: string): string {
  return `${at.slice(0, 19).replace('T', ' ')} UTC`;
}
