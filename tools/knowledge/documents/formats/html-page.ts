/** Builds the text of a page and its sections. */

import type { DocumentText, Section } from '../text/document-text.ts';
import { openHeadings } from '../text/headings.ts';

export interface Page {
  add(text: string): void;
  /** Line breaks before the next text: 1 starts a new line, 2 also leaves an empty line. */
  lineEnd(count: number): void;
  /** Begins a list item. */
  point(): void;
  /** Must be called at the start and at the end of a table row. */
  row(): void;
  cell(): void;
  openHeading(): void;
  closeHeading(level: number): void;
  whole(): DocumentText;
}

export function openPage(): Page {
  const headings = openHeadings();
  const sections: Section[] = [];
  const pieces: string[] = [];
  let length = 0;
  let start = 0;
  let title: { from: number; pieces: string[] } | undefined;
  // The line breaks to insert before the next text, if any follows.
  let lines = 0;
  // Whether a list item or cell has just begun. Its first paragraph needs no new line.
  let fresh = true;
  let firstCell = true;
  let spaced = true;

  function put(text: string): void {
    pieces.push(text);
    length += text.length;
  }

  function add(text: string): void {
    const more = spaced || lines > 0 ? text.replace(/^ +/, '') : text;
    if (more === '') return;
    put('\n'.repeat(lines) + more);
    title?.pieces.push(more);
    lines = 0;
    fresh = false;
    spaced = /\s$/.test(more);
  }

  function lineEnd(count: number): void {
    if (!fresh) lines = Math.max(lines, count);
  }

  function closeSection(end: number): void {
    sections.push({ headings: headings.path(), page: null, start, end });
  }

  return {
    add,
    lineEnd,
    point() {
      lineEnd(1);
      add('- ');
      fresh = true;
    },
    row() {
      // As in `cell`: the paragraph that has ended belongs to the last cell.
      if (!firstCell) lines = 0;
      lineEnd(1);
      firstCell = true;
    },
    cell() {
      if (!firstCell) {
        // The paragraph that has ended belongs to the previous cell.
        lines = 0;
        add(spaced ? '| ' : ' | ');
      }
      firstCell = false;
      fresh = true;
    },
    openHeading() {
      fresh = length === 0;
      lineEnd(2);
      title ??= { from: length, pieces: [] };
    },
    closeHeading(level) {
      if (title) {
        closeSection(title.from);
        headings.enter(level, title.pieces.join(''));
        start = length;
        title = undefined;
      }
      lineEnd(2);
    },
    whole() {
      closeSection(length);
      const text = pieces.join('');
      const filled = sections.filter((section) => text.slice(section.start, section.end).trim() !== '');
      const all = { headings: [], page: null, start: 0, end: text.length };
      return { text, sections: filled.length > 0 ? filled : [all] };
    },
  };
}
