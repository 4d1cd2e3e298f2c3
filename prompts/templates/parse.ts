/** Parses a template, and rejects invalid ones and those with unlimited cost. */
import { parse, tokenize } from '@huggingface/jinja';
import { type Construct, refusedConstruct } from './constructs.ts';
import { TemplateFailure } from './failure.ts';
import { levelsOf } from './levels.ts';
import { LIMITS } from './limits.ts';
import { positionAt, type Tag, tagsOf, tagText } from './tags.ts';

export type Program = ReturnType<typeof parse>;
type Token = Construct;

const OPTIONS = { lstrip_blocks: true, trim_blocks: true };
const BLANKS = new RegExp(`\\s{${LIMITS.blanks}}`);

/** Throws TemplateFailure with line and column. */
export function parseTemplate(text: string): Program {
  const blanks = BLANKS.exec(text);
  if (blanks) throw failure(text, blanks.index, `${LIMITS.blanks} or more consecutive blanks`);
  const tags = tagsOf(text);
  if (tags.length > LIMITS.tags)
    throw failure(text, tags[LIMITS.tags]?.start ?? 0, `more than ${LIMITS.tags} tags`);
  if (tagText(tags) > LIMITS.tagText)
    throw failure(text, 0, `more than ${LIMITS.tagText} characters within tags`);
  for (const tag of tags) refuseTag(text, tag);
  const tokens = tokenize(text, OPTIONS);
  let read = 0;
  // The parser reports no position: the error is at the last token that it read.
  const watched = new Proxy(tokens, {
    get(target, key) {
      const index = typeof key === 'string' ? Number(key) : Number.NaN;
      if (Number.isInteger(index)) read = index;
      return Reflect.get(target, key);
    },
  });
  try {
    return shallow(parse(watched));
  } catch (error) {
    if (error instanceof TemplateFailure) throw error;
    if (read >= tokens.length) throw failure(text, text.length, 'a block is not closed');
    const at = tags[tagIndex(tokens, read)]?.start ?? text.length;
    throw failure(text, at, reasonOf(error));
  }
}

/** Later steps recurse into a program: too many levels would overflow the stack. */
function shallow(program: Program): Program {
  if (levelsOf(program, LIMITS.levels) <= LIMITS.levels) return program;
  throw new TemplateFailure('nested too deep');
}

/** Checks a single tag: its tokens, its nesting, its calls. */
function refuseTag(text: string, tag: Tag): void {
  if (tag.text.startsWith('{#')) {
    if (!tag.text.endsWith('#}')) throw failure(text, tag.start, 'the comment is not closed');
    return;
  }
  if (depthOf(tag.text) > LIMITS.depth) throw failure(text, tag.start, 'nested too deep');
  let tokens: Token[];
  try {
    tokens = tokenize(tag.text);
  } catch (error) {
    throw failure(text, tag.start, reasonOf(error));
  }
  if (!/[%}]\}$/.test(tag.text)) throw failure(text, tag.start, 'the tag is not closed');
  const refused = refusedConstruct(tokens);
  if (refused) throw failure(text, tag.start, refused);
}

function depthOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const char of text) {
    if ('([{'.includes(char)) deepest = Math.max(deepest, ++depth);
    else if (')]}'.includes(char)) depth--;
  }
  return deepest;
}

/** The tag that contains a token, counted from 0; text between two tags counts to the next one. */
function tagIndex(tokens: readonly Token[], at: number): number {
  const begins = tokens.slice(0, at + 1).filter(({ type }) => BEGINNINGS.includes(type)).length;
  return tokens[at]?.type === 'Text' ? begins : begins - 1;
}

const BEGINNINGS = ['OpenStatement', 'OpenExpression', 'Comment'];

/** The library's message in one line, without its internals. */
function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'nested too deep';
  const message = error instanceof Error ? error.message : '';
  if (error instanceof TypeError || message === '') return 'not a valid template';
  return message
    .replace(/^Parser Error: /, '')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 200);
}

function failure(text: string, offset: number, reason: string): TemplateFailure {
  return new TemplateFailure(reason, positionAt(text, offset));
}
