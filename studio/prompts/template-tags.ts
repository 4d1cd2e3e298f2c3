/** The tags of a Jinja template, found in one pass: whatever the text is, it takes no longer than its length. */

export interface TemplateTag {
  kind: 'value' | 'statement';
  /** Between the braces. */
  inside: string;
  /** Of the first brace. */
  start: number;
}

const CLOSING = { '{{': '}}', '{%': '%}', '{#': '#}' };

/** Without comments, and without what stands between `raw` and `endraw`. */
export function templateTags(text: string): TemplateTag[] {
  const tags: TemplateTag[] = [];
  let raw = false;
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at)) {
    const closing = CLOSING[text.slice(at, at + 2) as keyof typeof CLOSING];
    const end = closing === undefined ? at : text.indexOf(closing, at + 2);
    // What is begun and not ended is no tag, and nothing after it can be one of its kind.
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
