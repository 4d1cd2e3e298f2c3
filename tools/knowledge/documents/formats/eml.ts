/** An e-mail: sender, recipients, date, subject and text; attachments by name only. */
import PostalMime, { type Address } from 'postal-mime';
import { UnreadableDocument } from '../reader.ts';
import { cleaned, oneLine } from '../text/clean.ts';
import type { DocumentText } from '../text/document-text.ts';
import { joinedParts, onePart } from '../text/joined-parts.ts';
import { htmlText } from './html.ts';

/** Throws UnreadableDocument if it has no headers. */
export async function readEml(bytes: Uint8Array): Promise<DocumentText> {
  const mail = await PostalMime.parse(bytes).catch(() => undefined);
  if (!mail?.from && !mail?.subject && !mail?.date) throw new UnreadableDocument('It is not a valid e-mail');
  const { subject = '', from, to = [], cc = [], date, text, html, attachments } = mail;
  const files = attachments.flatMap(({ filename }) => filename ?? []);
  const lines = [
    ['Subject', subject],
    ['From', from ? addressText(from) : ''],
    ['To', to.map(addressText).join(', ')],
    ['Cc', cc.map(addressText).join(', ')],
    ['Date', date ?? ''],
    ['Attachments', files.join(', ')],
  ].flatMap(([name, value = '']) => (oneLine(value) === '' ? [] : [`${name}: ${oneLine(value)}`]));
  const headings = [oneLine(subject)].filter(Boolean);
  const body = text?.trim() ? onePart(cleaned(text)) : htmlText(html ?? '');
  const under = body.sections.map((section) => ({
    ...section,
    headings: [...headings, ...section.headings],
  }));
  return joinedParts([onePart(lines.join('\n'), { headings }), { ...body, sections: under }]);
}

/** Includes the members of a group. */
function addressText({ name = '', address = '', group = [] }: Address): string {
  if (group.length > 0) return [name, ...group.map(addressText)].join(' ');
  return name === '' ? address : `${name} <${address}>`;
}
