/** Splits a document's text into passages for searching, and groups those into larger sections for reading. */
import { createHash } from 'node:crypto';
import { estimateTextTokens } from '../../models/usage/tokens.ts';
import type { Span } from '../library.ts';
import type { Chunk, ChunkedDocument, Parent } from './chunk.ts';
import { UnreadableDocument } from './reader.ts';
import { sentenceEnds, wordEnds } from './sentences.ts';
import type { DocumentText, Section } from './text/document-text.ts';

export interface CutOptions {
  /** The maximum size of a passage, as counted by `estimateTextTokens`. */
  chunkTokens?: number;
  /** The maximum size of the section around it. */
  parentTokens?: number;
  /** The maximum number of passages per document. */
  maxChunks?: number;
}

// Small embedding models read 256 to 512 tokens. The embedding of a passage on several topics is close to none of them.
const DEFAULTS = { chunkTokens: 200, parentTokens: 800, maxChunks: 10_000 };

/** Passages end at sentences and sections if possible. Throws UnreadableDocument if there are too many. */
export function cutDocument(
  document: string,
  { text, sections }: DocumentText,
  options: CutOptions = {},
): ChunkedDocument {
  const { chunkTokens, parentTokens, maxChunks } = { ...DEFAULTS, ...options };
  const open = openParents(document, text, parentTokens);
  const chunks: Chunk[] = [];
  for (const section of sections) {
    const heading = section.headings.join(' > ');
    let first = true;
    for (const part of passagesOf(text, section, chunkTokens)) {
      if (chunks.length >= maxChunks)
        throw new UnreadableDocument(
          `It has more than ${maxChunks} passages: split it into several documents`,
        );
      const { start, end } = part;
      const passage = text.slice(start, end);
      const parent = open.parentOf(part, first);
      const span: Span = { heading, page: section.page, start, end };
      chunks.push({ id: hash(document, start, passage), text: passage, parent, ...span });
      first = false;
    }
  }
  return { chunks, parents: open.whole() };
}

interface Part {
  start: number;
  end: number;
}

function passagesOf(text: string, section: Section, most: number): Part[] {
  const units = [...unitsOf(text, section, most)];
  const total = units.reduce((sum, { tokens }) => sum + tokens, 0);
  // Make all passages about equally long, so that the last one is not a fragment.
  const wanted = total / Math.ceil(total / most);
  const groups: Part[] = [];
  let size = 0;
  for (const { start, end, tokens } of units) {
    const last = groups.at(-1);
    if (last && size + tokens <= most && size + tokens / 2 <= wanted) {
      last.end = end;
      size += tokens;
    } else {
      groups.push({ start, end });
      size = tokens;
    }
  }
  return groups.map((part) => trimmed(text, part)).filter((part) => hasWords(text, part));
}

/** The sentences of a section. Sentences that are too long are split. */
function* unitsOf(text: string, { start, end }: Part, most: number): Generator<Part & { tokens: number }> {
  let from = start;
  for (const to of sentenceEnds(text, start, end)) {
    yield* fitting(text, { start: from, end: to }, most);
    from = to;
  }
  if (from < end) yield* fitting(text, { start: from, end }, most);
}

function* fitting(text: string, part: Part, most: number): Generator<Part & { tokens: number }> {
  const tokens = estimateTextTokens(text.slice(part.start, part.end));
  const length = part.end - part.start;
  if (tokens <= most || length <= 2) {
    yield { ...part, tokens };
    return;
  }
  const characters = Math.min(length - 1, Math.max(2, Math.floor((length * most) / tokens)));
  let from = part.start;
  for (const to of wordEnds(text, { ...part, most: characters })) {
    yield* fitting(text, { start: from, end: to }, most);
    from = to;
  }
  yield* fitting(text, { start: from, end: part.end }, most);
}

/** Groups adjacent passages to sections. A section ends when it is full, or at a new heading when it is half full. */
function openParents(document: string, text: string, most: number) {
  const parents: Parent[] = [];
  let open: (Part & { id: string }) | undefined;

  function close(): void {
    if (open) parents.push({ id: open.id, text: text.slice(open.start, open.end) });
  }

  function tokensTo(from: Part, end: number): number {
    // Skip the estimate if even this lower bound is too high.
    const least = (end - from.start) / 4;
    return least > most ? least : estimateTextTokens(text.slice(from.start, end));
  }

  return {
    parentOf({ start, end }: Part, beginsSection: boolean): string {
      const full =
        open && (tokensTo(open, end) > most || (beginsSection && tokensTo(open, open.end) > most / 2));
      if (open && !full) {
        open.end = end;
        return open.id;
      }
      close();
      open = { start, end, id: hash('part of', document, start, text.slice(start, end)) };
      return open.id;
    },
    whole(): Parent[] {
      close();
      return parents;
    },
  };
}

function trimmed(text: string, { start, end }: Part): Part {
  const part = text.slice(start, end);
  return { start: start + part.length - part.trimStart().length, end: start + part.trimEnd().length };
}

function hasWords(text: string, { start, end }: Part): boolean {
  return /[\p{L}\p{N}]/u.test(text.slice(start, end));
}

function hash(...parts: (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
