/** Splits text into sections at its headings, line by line, for any heading syntax. */
import type { DocumentText, Section } from './document-text.ts';
import { openHeadings } from './headings.ts';

export interface Line {
  content: string;
  from: number;
  /** The position after its line ending. */
  to: number;
}

export interface TitledSections {
  /** `level` is 1 to 6; the lines of the title itself are from `from` to `to`. */
  enter(level: number, title: string, range: Pick<Line, 'from' | 'to'>): void;
  whole(): DocumentText;
}

export function titledSections(text: string): TitledSections {
  const headings = openHeadings();
  const sections: Section[] = [];
  let start = 0;

  function close(end: number): void {
    if (text.slice(start, end).trim() !== '')
      sections.push({ headings: headings.path(), page: null, start, end });
  }

  return {
    enter(level, title, { from, to }) {
      close(from);
      headings.enter(level, title);
      start = to;
    },
    whole() {
      close(text.length);
      // If a document only consists of headings, make the headings searchable.
      const all = { headings: [], page: null, start: 0, end: text.length };
      return { text, sections: sections.length > 0 ? sections : [all] };
    },
  };
}

export function* linesOf(text: string, first = 0): Generator<Line> {
  for (let from = first; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end + 1;
    yield { content: text.slice(from, end < 0 ? to : end), from, to };
    from = to;
  }
}
