/** HTML as the text that a reader sees, in sections by its headings; scripts, styles and hidden elements are dropped. */
import { Parser } from 'htmlparser2';
import { cleaned } from '../text/clean.ts';
import type { DocumentText } from '../text/document-text.ts';
import { decodeText } from '../text/plain-text.ts';
import { openPage } from './html-page.ts';
import { navigationOf } from './navigation.ts';
import { withTitle } from './page-title.ts';

export function readHtml(bytes: Uint8Array): DocumentText {
  const start = Buffer.from(bytes.subarray(0, 2048)).toString('latin1');
  return htmlText(decodeText(bytes, /<meta[^>]{1,200}charset=["']?([\w-]{1,40})/i.exec(start)?.[1]));
}

const DROPPED = new Set(
  'head script style template noscript svg math iframe object canvas audio video select'.split(' '),
);
const BLOCKS = new Set(
  'address article aside blockquote body dd details div dl dt figure figcaption footer form header hr li main nav ol p pre section summary table tr ul'.split(
    ' ',
  ),
);

export function htmlText(html: string): DocumentText {
  const whole = textWithout(navigationOf(html), html);
  // If a page consists of links only, keep them.
  return /[\p{L}\p{N}]/u.test(whole.text) ? whole : textWithout(new Set(), html);
}

/** `omitted`: the ordinals of the elements to drop. */
function textWithout(omitted: ReadonlySet<number>, html: string): DocumentText {
  const page = openPage();
  let ordinal = -1;
  let title = '';
  let isTitle = false;
  // The number of open elements within the dropped one, including itself.
  let dropped = 0;
  let preformatted = 0;

  const parser = new Parser({
    onopentag(name, attributes) {
      ordinal++;
      isTitle = name === 'title' && title === '';
      if (omitted.has(ordinal) || dropped > 0 || DROPPED.has(name) || 'hidden' in attributes) dropped++;
      if (dropped > 0) return;
      if (name === 'pre') preformatted++;
      if (levelOf(name)) page.openHeading();
      else if (name === 'br') page.lineEnd(1);
      else if (name === 'td' || name === 'th') page.cell();
      else if (name === 'tr') page.row();
      else if (name === 'li') page.point();
      else if (BLOCKS.has(name)) page.lineEnd(LINES.get(name) ?? 2);
    },
    ontext(text) {
      if (isTitle) title += text;
      if (dropped === 0) page.add(preformatted > 0 ? cleaned(text) : spaced(text));
    },
    onclosetag(name) {
      isTitle = false;
      if (dropped > 0) {
        dropped--;
        return;
      }
      if (name === 'pre') preformatted--;
      const level = levelOf(name);
      if (level) page.closeHeading(level);
      else if (name === 'tr') page.row();
      else if (BLOCKS.has(name)) page.lineEnd(LINES.get(name) ?? 2);
    },
  });
  parser.end(html);
  return withTitle(page.whole(), title);
}

/** Line endings before and after an element; two, which is an empty line, for elements not listed. */
const LINES = new Map([
  ['li', 1],
  ['dt', 1],
  ['dd', 1],
]);

function levelOf(name: string): number | undefined {
  const level = /^h([1-6])$/.exec(name)?.[1];
  return level ? Number(level) : undefined;
}

function spaced(text: string): string {
  return cleaned(text).replace(/\s+/g, ' ');
}
