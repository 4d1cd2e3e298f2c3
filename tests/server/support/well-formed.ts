/** Checks that a text is well-formed XML: one root, tags that close in order, quoted attributes, known entities. */

const TOKEN = /<(\/?)([A-Za-z][\w.-]*)((?:\s+[A-Za-z][\w:.-]*="[^"<]*")*)\s*(\/?)>|([^<]+)/y;
const ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)/;

/** Returns the error, or undefined. */
export function xmlProblem(xml: string): string | undefined {
  const open: string[] = [];
  let roots = 0;
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < xml.length; ) {
    const at = TOKEN.lastIndex;
    const [token, closing, name = '', attributes = '', empty, text] = TOKEN.exec(xml) ?? [];
    if (token === undefined) return `no tag or text at ${at}: ${xml.slice(at, at + 60)}`;
    if (ENTITY.test(attributes + (text ?? ''))) return `a bare & at ${at}`;
    if (text !== undefined) {
      if (open.length === 0 && text.trim() !== '') return `text outside of the root at ${at}`;
    } else if (closing) {
      if (open.pop() !== name) return `</${name}> at ${at} closes nothing`;
    } else {
      if (open.length === 0) roots++;
      if (!empty) open.push(name);
    }
  }
  if (open.length > 0) return `<${open.at(-1)}> is not closed`;
  return roots === 1 ? undefined : `${roots} roots`;
}
