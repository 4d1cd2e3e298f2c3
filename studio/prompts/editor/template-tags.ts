/** Finds the tags of a Jinja template in one pass, in linear time for any text. */

export interface TemplateTag {
  kind: 'value' | 'statement';
  /** The text between the braces. */
  inside: string;
  /** The index of the first brace. */
  start: number;
}

const CLOSING = { '{{': '}}', '{%': '%}', '{#': '#}' };

/** All tags except comments and those between `raw` and `endraw`. */
export function templateTags(text: string): TemplateTag[] {
  const tags: TemplateTag[] = [];
  let raw = false;
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at)) {
    const closing = CLOSING[text.slice(at, at + 2) as keyof typeof CLOSING];
    const end = closing === undefined ? at : text.indexOf(closing, at + 2);
    // Stop at a tag that isn't closed.
    if (end < 0) break;
    if (closing === undefined) {
      at++;
      continue;
    }
    const inside = text.slice(at + 2, end);
    const word = closing === '%}' ? /^-?\s*(raw|endraw)\s*-?$/.exec(inside)?.[1] : undefined;
    if (word) raw = word === 'raw';
    else if (!raw && closing !== '#}')
      tags.push({ kind: closing === '%}' ? 'statement' : 'value', inside, start: at });
    at = end + 2;
  }
  return tags;
}
