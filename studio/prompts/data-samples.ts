/** Samples for the variables that are blocks of data: the preview shows the words that stand for them in the system message. */

const block = (tag: string, line: string) => `<${tag}>\n${line}\n</${tag}>`;

const KNOWLEDGE = {
  question: block('question', '"question"'),
  passages: block('passages', '[1] document "document" heading "heading" page null text "passage"'),
};

const SQL = {
  schema: block('database_schema', 'table "table" (1 rows)\n  column "column" "VARCHAR" values ["value"]'),
  refusal: block('refused_statement', 'sql "SELECT"\nreason "reason"'),
  result: block(
    'query_result',
    'sql "SELECT"\ncolumn "column" "VARCHAR"\nrow ["value"]\nrows 1, more were cut off: no',
  ),
};

const DOCUMENT = {
  facts: block('facts', '"fact"'),
  texts: block('texts', '1 "text"'),
  suggestions: block('suggestions', 'field "suggestion"'),
};

/** By the workflow that begins a file's name. */
const BLOCKS: Record<string, Record<string, string>> = {
  'knowledge-base-agent': KNOWLEDGE,
  'sql-manipulation-agent': SQL,
  'bike-insights': { ...KNOWLEDGE, ...SQL, ...DOCUMENT },
};

/** The samples of a file's variables, with blocks for those that its workflow gives as blocks. */
export function withDataSamples(file: string, samples: Record<string, unknown>): Record<string, unknown> {
  const workflow = file.split('.')[0] ?? '';
  const blocks = Object.hasOwn(BLOCKS, workflow) ? BLOCKS[workflow] : undefined;
  const entries = Object.entries(samples).map(([name, sample]) => [name, blocks?.[name] ?? sample]);
  return Object.fromEntries(entries);
}
