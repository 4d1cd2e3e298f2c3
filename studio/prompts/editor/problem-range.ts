/** Finds the range of a problem in the text. */
import type { Problem } from './problem.ts';
import { templateTags } from './template-tags.ts';

export interface Range {
  from: number;
  to: number;
}

const TAG = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}|\{[{%#][^\n]*/y;

/** The tag at the problem's position, or the first use of its variable; undefined if it has neither. */
export function rangeOf(text: string, { position, variable }: Problem): Range | undefined {
  if (position) return rangeAt(text, position);
  return variable === undefined ? undefined : firstUse(text, variable);
}

/** The line and column of an offset, from 1. */
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
  // Show a position after the end of the text on its last character.
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
