/** The text of one slide or of its notes: one line per paragraph and table row. */
import { readXml } from './xml.ts';

export interface SlideText {
  title: string;
  /** The text without the title. */
  body: string;
  /** The text of the notes placeholder. The notes page also contains the slide's picture and number. */
  notes: string;
}

/** https://ecma-international.org/publications-and-standards/standards/ecma-376/, part 1, 19.3 and 21.1.2. */
export function slideText(xml: Uint8Array): SlideText {
  const texts = { title: [] as string[], body: [] as string[], notes: [] as string[] };
  let kind = '';
  let line = '';
  let row: string[] | undefined;
  let isText = false;

  function endLine(): void {
    const text = line.trim();
    line = '';
    if (text === '') return;
    if (row) row.push(text);
    else add(text);
  }

  function add(text: string): void {
    if (kind === 'title' || kind === 'ctrTitle') texts.title.push(text);
    else if (!NO_CONTENT.has(kind)) texts.body.push(text);
    if (kind === 'body') texts.notes.push(text);
  }

  readXml(xml, {
    open(name, attributes) {
      if (name === 'p:sp' || name === 'p:graphicFrame') kind = '';
      else if (name === 'p:ph') kind = attributes.type ?? '';
      else if (name === 'a:tr') row = [];
      else if (name === 'a:br') line += ' ';
      isText = name === 'a:t';
    },
    text(text) {
      if (isText) line += text;
    },
    close(name) {
      isText = false;
      if (name === 'a:p') endLine();
      if (name !== 'a:tr') return;
      const cells = row ?? [];
      row = undefined;
      if (cells.length > 0) add(cells.join(' | '));
    },
  });
  const { title, body, notes } = texts;
  return { title: title.join(' '), body: body.join('\n'), notes: notes.join('\n') };
}

// Placeholders that repeat on every slide.
const NO_CONTENT = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg']);
