/** Parses Markdown to tokens, which are rendered as React elements, never as HTML. */
import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';

export type { MarkedToken, Token, Tokens };

// Finding emphasis takes quadratic time in the number of possible marks. Above this limit, text isn't formatted.
const MAX_INLINE_WORK = 400_000;
const MARKS = /[*_~`[\]]/g;

/** Splits a text into top-level blocks. Each is rendered alone, so a growing text only renders its last block again. */
export function blocksOf(text: string): string[] {
  try {
    const tokens = new Lexer().blockTokens(text, []);
    return tokens.filter(({ type }) => type !== 'space').map(({ raw }) => raw);
  } catch {
    // The nesting overflows the stack, so show the text without formatting.
    return [text];
  }
}

/** Returns undefined if the block can't be parsed. */
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
  if (work > MAX_INLINE_WORK) return [{ type: 'text', raw: src, text: src, escaped: false }];
  return lexer.inlineTokens(src, []);
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

/** Decodes HTML character references. */
export function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,5}));/gi, (whole, decimal, hex, name) => {
    if (name) return NAMED[name.toLowerCase()] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/**
 * Returns the link if its scheme is safe, otherwise undefined. Other schemes may run code or open programs, and relative
 * links would lead to pages of this service.
 */
export function safeHref(href: string): string | undefined {
  const url = URL.parse(href);
  return url && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
}
