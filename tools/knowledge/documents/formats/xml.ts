/** XML of Office documents and books. Entities that a document declares are never expanded, and nothing external is loaded. */
import { Parser } from 'htmlparser2';
import { decodeText } from '../text/plain-text.ts';

export interface XmlEvents {
  open?(name: string, attributes: Record<string, string>): void;
  text?(text: string): void;
  close?(name: string): void;
}

/** Names include their prefix, as in `a:t`. Text may arrive in pieces. Malformed XML is read as far as possible. */
export function readXml(bytes: Uint8Array, events: XmlEvents): void {
  const parser = new Parser(
    {
      onopentag: (name, attributes) => events.open?.(name, attributes),
      ontext: (text) => events.text?.(text),
      onclosetag: (name) => events.close?.(name),
    },
    { xmlMode: true },
  );
  parser.end(decodeText(bytes, declaredEncoding(bytes)));
}

/** The encoding in the XML declaration. */
export function declaredEncoding(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  return /^\s*<\?xml[^>]{1,150}encoding=["']([\w-]{1,40})/.exec(start)?.[1];
}

/** The attributes of each element with this name. */
export function elementsOf(bytes: Uint8Array | undefined, wanted: string): Record<string, string>[] {
  const found: Record<string, string>[] = [];
  if (!bytes) return found;
  const open = (name: string, attributes: Record<string, string>) => {
    if (name === wanted || name.endsWith(`:${wanted}`)) found.push(attributes);
  };
  readXml(bytes, { open });
  return found;
}
