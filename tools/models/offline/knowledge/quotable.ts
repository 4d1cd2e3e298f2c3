/** Finds the parts of a passage that can be quoted alone: sentences, list items and table rows, without their markup. */

import { sentences } from '../language/text.ts';

export interface Quotable {
  text: string;
  /** The nearest heading above it in the passage; otherwise empty. */
  heading: string;
}

const LONGEST = 400;

export function quotables(passage: string): Quotable[] {
  const found: Quotable[] = [];
  let heading = '';
  for (const block of blocks(passage)) {
    const title = /^#{1,6}\s+(.*)$/.exec(block)?.[1];
    if (title !== undefined) heading = bare(title);
    else
      for (const text of block.startsWith('|') ? rows(block) : sentencesIn(block))
        found.push({ text, heading });
  }
  return found.filter(({ text }) => text.length <= LONGEST && /\p{L}{2}/u.test(text));
}

/** Headings, tables and list items start a new block. Other lines continue the previous block. */
function blocks(passage: string): string[] {
  const all: string[] = [];
  let open = false;
  for (const line of passage.split('\n').map((each) => each.trim())) {
    const goesOn = open && !/^(?:#{1,6}\s|[-*+•]\s|\d{1,3}[.)]\s|>\s)/.test(line);
    const inTable = line.startsWith('|') && all.at(-1)?.startsWith('|');
    if (line === '' || /^(?:`{3}|~{3})/.test(line)) open = false;
    else if (inTable && open) all.push(`${all.pop()}\n${line}`);
    else if (goesOn && !line.startsWith('|') && !all.at(-1)?.startsWith('|'))
      all.push(`${all.pop()} ${line}`);
    else all.push(line);
    if (line !== '') open = !/^#{1,6}\s/.test(line) && !/^(?:`{3}|~{3})/.test(line);
  }
  return all;
}

function sentencesIn(block: string): string[] {
  return sentences(bare(block.replace(/^(?:[-*+•]|\d{1,3}[.)]|>)\s+/, '')));
}

/**
 * "Steel frames: 10 years". If there are more than two columns, their names are included: "Steel frames — Term: 10 years; Paid
 * by: the maker".
 */
function rows(table: string): string[] {
  const lines = table.split('\n').map((line) =>
    line
      .replace(/^\||\|$/g, '')
      .split('|')
      .map(bare),
  );
  const rule = lines.findIndex((cells) => cells.every((cell) => /^:?-+:?$/.test(cell)));
  const names = rule > 0 ? (lines[rule - 1] ?? []).slice(1) : [];
  return lines.slice(rule + 1).map(([first = '', ...more]) => {
    const cells = more.flatMap((cell, column) => (cell ? [{ cell, name: names[column] }] : []));
    if (cells.length === 0) return first;
    if (more.length === 1) return `${first}: ${cells[0]?.cell}`;
    return `${first} — ${cells.map(({ cell, name }) => (name ? `${name}: ${cell}` : cell)).join('; ')}`;
  });
}

/** Removes marks of emphasis, code and links, and text that looks like a citation. */
function bare(text: string): string {
  return text
    .replaceAll(/!?\[([^\][]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/\s*\[\^?\d{1,3}\]/g, '')
    .replaceAll(/\*\*|__|`/g, '')
    .replaceAll(/(?<!\S)[*_](?=\S)|(?<=\S)[*_](?!\S)/g, '')
    .replaceAll(/[\p{Cc}\p{Bidi_Control}\s]+/gu, ' ')
    .trim();
}
