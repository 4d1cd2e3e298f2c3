/** Where in a text a problem is shown. */
import type { Problem } from './problem.ts';
import { templateTags } from './template-tags.ts';

export interface Range {
  from: number;
  to: number;
}

const TAG = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}|\{[{%#][^\n]*/y;

/** The tag at its place, or the first tag that reads its variable; undefined where there is no place. */
export function rangeOf(text: string, { position, variable }: Problem): Range | undefined {
  if (position) return rangeAt(text, position);
  return variable === undefined ? undefined : firstUse(text, variable);
}

/** Line and column of an offset, counted from 1. */
export function positionAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

function rangeAt(text: string, { line, column }: NonNullable<Problem['position']>): Range {
  let start = 0;
  for (let at = 1; at < line; at++) {
    const next = text.indexOf('\n', start);
    if (next < 0) break;
    start = next + 1;
  }
  const from = Math.min(start + column - 1, text.length);
  TAG.lastIndex = from;
  const tag = TAG.exec(text)?.[0];
  // A place behind all text is shown on what stands before it.
  if (from >= text.length && !tag) return { from: Math.max(0, text.length - 1), to: text.length };
  return { from, to: Math.min(text.length, from + (tag?.length ?? 1)) };
}

function firstUse(text: string, variable: string): Range | undefined {
  const name = variable.split('.')[0] ?? variable;
  const word = new RegExp(`(?<![\\w.])${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?!\\w)`);
  for (const { inside, start } of templateTags(text)) {
    const at = word.exec(inside)?.index;
    if (at === undefined) continue;
    const from = start + 2 + at;
    return { from, to: from + name.length };
  }
  return undefined;
}
