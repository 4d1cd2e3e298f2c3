/** Markdown as a tree of what it says. Nothing becomes HTML here or later: the tree is drawn as elements, one by one. */

import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';

export type { MarkedToken, Token, Tokens };

// Finding emphasis takes time with the square of what could be emphasis: above this, text stays as it is.
const MOST_INLINE_WORK = 400_000;
const MARKS = /[*_~`[\]]/g;

/** The texts of the top-level blocks; each can be drawn alone, so that a growing text costs no more than its last block. */
export function blocksOf(text: string): string[] {
  try {
    const tokens = new Lexer().blockTokens(text, []);
    return tokens.filter(({ type }) => type !== 'space').map(({ raw }) => raw);
  } catch {
    // Nested deeper than the stack: whoever writes that wants no formatting.
    return [text];
  }
}

/** Undefined where it cannot be read as Markdown. */
export function tokensOf(block: string): Token[] | undefined {
  const lexer = new Lexer();
  try {
    lexer.blockTokens(block, lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue) tokens.push(...inlineOf(lexer, src));
    return lexer.tokens;
  } catch {
    return undefined;
  }
}

function inlineOf(lexer: Lexer, src: string): Token[] {
  const work = src.length * (src.match(MARKS)?.length ?? 0);
  if (work > MOST_INLINE_WORK) return [{ type: 'text', raw: src, text: src, escaped: false }];
  return lexer.inlineTokens(src, []);
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

/** Character references as the characters they stand for. */
export function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,5}));/gi, (whole, decimal, hex, name) => {
    if (name) return NAMED[name.toLowerCase()] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** Where a link may lead: other schemes run code or open programs, and no model knows addresses of this page. */
export function safeHref(href: string): string | undefined {
  const url = URL.parse(href);
  return url && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
}
