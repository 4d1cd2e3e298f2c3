/** Finds the tags of a template in its text: the parser's tokens have no positions. */

export interface Tag {
  /** Its beginning, in characters. */
  start: number;
  end: number;
  text: string;
}

const CLOSING: Record<string, string> = { '{%': '%}', '{{': '}}', '{#': '#}' };

/** In order; the last one may be unclosed. */
export function tagsOf(template: string): Tag[] {
  const tags: Tag[] = [];
  const opening = /\{[%{#]/g;
  for (let found = opening.exec(template); found; found = opening.exec(template)) {
    const end = endOf(template, found.index + 2, CLOSING[found[0]] ?? '');
    tags.push({ start: found.index, end, text: template.slice(found.index, end) });
    opening.lastIndex = end;
  }
  return tags;
}

/** Characters within tags; comments don't count. */
export function tagText(tags: readonly Tag[]): number {
  return tags.reduce((sum, { start, end, text }) => sum + (text.startsWith('{#') ? 0 : end - start), 0);
}

/** A closing mark in a string or in a mapping's braces doesn't end the tag. */
function endOf(template: string, from: number, closing: string): number {
  let quote = '';
  let braces = 0;
  for (let at = from; at < template.length; at++) {
    const char = template[at] ?? '';
    if (closing === '#}') {
      if (template.startsWith(closing, at)) return at + 2;
    } else if (quote !== '') {
      if (char === '\\') at++;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (braces === 0 && template.startsWith(closing, at)) return at + 2;
    else if (char === '{') braces++;
    else if (char === '}') braces--;
  }
  return template.length;
}

export function positionAt(template: string, offset: number): { line: number; column: number } {
  const lines = template.slice(0, offset).split('\n');
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}
