/**
 * Maps the fields of an index to their roles. Field names are not settings: they are read from the index, or are those of
 * Azure's import.
 */
import { configurationError } from '../../../state/errors.ts';
import type { SearchField, SearchIndex } from './search-package.ts';

export interface IndexFields {
  key: string;
  text: string;
  document: string | undefined;
  /** Outermost first. */
  headings: string[];
  page: string | undefined;
  start: string | undefined;
  end: string | undefined;
  /** Vector fields that the service can query with a text. */
  vectors: string[];
}

/** The layout that Azure's import creates. It is the default, because a query-only key cannot list the fields. */
export const IMPORTED: IndexFields = {
  key: 'chunk_id',
  text: 'chunk',
  document: 'title',
  headings: [],
  page: undefined,
  start: undefined,
  end: undefined,
  vectors: ['text_vector'],
};

/** Names in Azure's imports and samples. The first name that exists in the index is used. */
const TEXT = ['chunk', 'content', 'text', 'page_content', 'merged_content', 'snippet', 'body'];
const DOCUMENT = [
  ...['document', 'title', 'metadata_storage_name', 'file_name', 'filename', 'sourcefile', 'source'],
  ...['sourcepage', 'url', 'parent_id'],
];
const HEADINGS = [
  ...['heading', 'header_1', 'header_2', 'header_3', 'header_4', 'header_5', 'header_6'],
  'section',
];
const PAGE = ['page', 'page_number', 'pageNumber'];
const START = ['start', 'start_offset', 'offset'];
const END = ['end', 'end_offset'];

/** Throws CONFIGURATION_ERROR if the index has no searchable, retrievable text field. */
export function fieldsOf({ fields, vectorSearch }: SearchIndex): IndexFields {
  const plain = fields.filter(isPlain).filter(({ hidden }) => !hidden);
  const key = plain.find((field) => field.key)?.name;
  const texts = plain.filter(({ type, searchable }) => type === 'Edm.String' && searchable);
  const named = (names: string[]) =>
    names.map((name) => plain.find((field) => field.name === name)?.name).find((name) => name !== undefined);
  const document = named(DOCUMENT);
  const headings = HEADINGS.filter((name) => plain.some((field) => field.name === name));
  const others = new Set([key, document, ...headings]);
  const text =
    TEXT.find((name) => texts.some((field) => field.name === name)) ??
    texts.find(({ name }) => !others.has(name))?.name;
  if (key === undefined || text === undefined) {
    throw configurationError(
      'cloud_search.index_name',
      'the index has no text field that is searchable and retrievable',
    );
  }
  const understood = (vectorSearch?.profiles ?? [])
    .filter(({ vectorizerName }) => vectorizerName)
    .map(({ name }) => name);
  const vectors = fields
    .filter(isPlain)
    .filter(({ vectorSearchProfileName: profile }) => profile !== undefined && understood.includes(profile))
    .map(({ name }) => name);
  return { key, text, document, headings, page: named(PAGE), start: named(START), end: named(END), vectors };
}

function isPlain({ type }: SearchField): boolean {
  return !type.includes('ComplexType');
}
