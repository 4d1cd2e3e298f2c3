/** `skein kb list`, `search` and `status`: what the knowledge base holds. */

import { configurationError } from '../../../state/errors.ts';
import type { Document, Passage, SearchResult } from '../../../tools/knowledge/library.ts';
import { failed, printable } from '../../terminal/plain-errors.ts';
import { print } from '../../terminal/print.ts';
import type { Base, KnowledgeArguments } from './open.ts';

const NO_INDEX = 'The running service has not indexed anything yet.';

export async function listed(base: Base, { own }: KnowledgeArguments): Promise<number> {
  const documents = await base.documents();
  if (own.has('--json')) print(JSON.stringify(documents.map(documentJson)));
  else if (documents.length === 0) print(`${base.documentsPath} contains no documents`);
  else for (const document of documents) print(documentLine(document));
  return 0;
}

export async function searched(base: Base, { words, own }: KnowledgeArguments): Promise<number> {
  const query = words.join(' ');
  const limit = limitOf(own.get('--limit'));
  if (base.own) await base.own.scan();
  const result = await (base.own ?? (await base.read()))?.search(query, { limit });
  if (!result) return failed(NO_INDEX);
  print(own.has('--json') ? JSON.stringify(resultJson(result)) : resultText(result));
  return 0;
}

export async function statusOf(base: Base, { own }: KnowledgeArguments): Promise<number> {
  const documents = await base.documents();
  const of = (state: Document['state']) => documents.filter((document) => document.state === state).length;
  const status = {
    documents_path: base.documentsPath,
    index_path: base.indexPath,
    held_by_service: base.own === undefined,
    ...{ indexed: of('indexed'), indexing: of('indexing'), failed: of('failed') },
    skipped: (await base.folder.walk()).skipped.size,
    passages: documents.reduce((sum, { chunks }) => sum + chunks, 0),
  };
  if (own.has('--json')) print(JSON.stringify(status));
  else
    for (const [name, value] of Object.entries(status))
      print(printable(`${name.replaceAll('_', ' ').padEnd(16)} ${value}`));
  return status.failed === 0 ? 0 : 1;
}

export function documentLine({ name, state, chunks, bytes, error }: Document): string {
  const size = `${chunks} ${chunks === 1 ? 'passage' : 'passages'}`.padStart(14);
  return printable(
    `${state.padEnd(8)} ${size} ${String(bytes).padStart(9)} bytes  ${name}${error ? `: ${error}` : ''}`,
  );
}

export function documentJson({ updatedAt, ...document }: Document) {
  return { ...document, updated_at: updatedAt.toISOString() };
}

function resultText({ found, passages }: SearchResult): string {
  const head = found ? [] : ['No document answers this; the nearest passages:'];
  return [...head, ...passages.map(passageText)].join('\n\n');
}

function passageText({ document, heading, page, text, scores }: Passage): string {
  const location = [document, heading, page === null ? '' : `page ${page}`].filter(Boolean).join(', ');
  const score = (value: number | null) => (value === null ? '-' : value.toFixed(3));
  const head = `${location}  (cosine ${score(scores.vector)}, words ${score(scores.text)})`;
  return [head, ...text.split('\n')].map(printable).join('\n');
}

function resultJson({ found, passages }: SearchResult) {
  return { found, passages: passages.map(({ id: _, context: __, ...passage }) => passage) };
}

function limitOf(text = '6'): number {
  const limit = Number(text);
  if (!/^\d{1,3}$/.test(text) || limit < 1 || limit > 100)
    throw configurationError('--limit', 'expected a whole number from 1 to 100');
  return limit;
}
