/** Formats passages for a prompt, and parses them from one. */
import { dataBlock } from './block.ts';
import { jsonValues, taggedLines, untrustedJson } from './untrusted-json.ts';

const TAG = 'passages';
const LONGEST_NAME = 300;
const LONGEST_TEXT = 4_000;
/** The limit for all texts together. When it is used up, passages have no context. */
const MAX_CHARACTERS = 24_000;

/** The fields of a passage that a model sees. */
export interface ShownPassage {
  document: string;
  heading: string;
  page: number | null;
  /** The larger section around the text. */
  context: string;
  text: string;
}

export interface ReadPassage {
  n: number;
  document: string;
  heading: string;
  text: string;
}

/**
 * A block of lines between `<passages>` tags, one per passage, with values as single-line JSON. A section that two passages
 * share is only written once.
 *
 * <passages> [1] document "warranty.md" heading "Warranty > Frames" page null text "Frames are covered for five years."
 * </passages>
 */
export function passagesText(passages: readonly ShownPassage[]): string {
  const given = new Set<string>();
  let remaining = MAX_CHARACTERS;
  const lines = passages.map(({ document, heading, page, context, text }, index) => {
    const isWhole = !given.has(context) && context.length <= remaining;
    const shown = isWhole ? context : text;
    given.add(context);
    remaining -= shown.length;
    const [name, above] = [document, heading].map((value) => untrustedJson(value, LONGEST_NAME));
    const body = untrustedJson(shown, LONGEST_TEXT);
    return `[${index + 1}] document ${name} heading ${above} page ${page ?? 'null'} text ${body}`;
  });
  return dataBlock(TAG, lines);
}

const STRING = '("(?:[^"\\\\]|\\\\.)*")';
const LINE = new RegExp(
  `^\\[(\\d+)\\] document ${STRING} heading ${STRING} page (?:\\d+|null) text ${STRING}$`,
);

/** The passages in the first such block of a text; undefined if the text has none. */
export function readPassagesText(text: string): ReadPassage[] | undefined {
  return taggedLines(text, TAG)?.flatMap((line) => {
    const [, n, ...strings] = LINE.exec(line) ?? [];
    const [document, heading, body] = jsonValues(strings.join(', ')) ?? [];
    const read = typeof document === 'string' && typeof heading === 'string' && typeof body === 'string';
    return read ? [{ n: Number(n), document, heading, text: body }] : [];
  });
}
