/** Sample values for variables that hold blocks of data, so that the preview shows them as they appear in the system message. */

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

/** Sample blocks by workflow, which is the first part of a file's name. */
const BLOCKS: Record<string, Record<string, string>> = {
  'knowledge-base-agent': KNOWLEDGE,
  'sql-manipulation-agent': SQL,
  'bike-insights': { ...KNOWLEDGE, ...SQL, ...DOCUMENT },
};

/** Replaces the samples of a file's variables by blocks, for the variables that its workflow fills with blocks. */
export function withDataSamples(file: string, samples: Record<string, unknown>): Record<string, unknown> {
  const workflow = file.split('.')[0] ?? '';
  const blocks = Object.hasOwn(BLOCKS, workflow) ? BLOCKS[workflow] : undefined;
  const entries = Object.entries(samples).map(([name, sample]) => [name, blocks?.[name] ?? sample]);
  return Object.fromEntries(entries);
}
