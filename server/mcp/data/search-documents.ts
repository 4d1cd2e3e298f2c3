/** The tool over the knowledge base, under the rules of the workflow that answers from it. */
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { Type } from '@sinclair/typebox';
import { UNTRUSTED } from '../../../tools/text/block.ts';
import { passagesText } from '../../../tools/text/passages-text.ts';
import { Passages, passageShape } from '../../knowledge/shape.ts';
import { checkedArguments, listedSchema } from '../arguments.ts';
import type { McpCall } from '../call.ts';
import { SEARCH_DOCUMENTS } from '../tool-names.ts';

const Arguments = Type.Object({
  query: Type.String({
    minLength: 1,
    maxLength: 2_000,
    pattern: '\\S',
    description: 'text of 1 to 2000 characters, a question or the words to look for',
  }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'The most passages' })),
});

export const SEARCH_TOOL: Tool = {
  name: SEARCH_DOCUMENTS,
  title: 'Search the documents',
  description:
    'Searches the documents of the knowledge base by words and by meaning. Gives the passages that fit best, each with its document, heading and page.',
  inputSchema: listedSchema(Arguments),
  outputSchema: listedSchema(Passages),
  annotations: { readOnlyHint: true, openWorldHint: false },
};

const NOTHING = 'The documents say nothing about this.';

export async function searchDocuments(
  { services: { sources }, request }: McpCall,
  given: Record<string, unknown>,
): Promise<CallToolResult> {
  const { query, limit } = checkedArguments(Arguments, given);
  const { limit: most = 1, threshold } = sources.searchRules;
  const { found, passages } = await sources.openLibrary().search(query, {
    limit: Math.min(limit ?? most, most),
    ...(threshold !== undefined && { threshold }),
    signal: request.signal,
  });
  const text = found ? `${UNTRUSTED}\n${passagesText(passages)}` : NOTHING;
  return {
    content: [{ type: 'text', text }],
    structuredContent: { found, passages: passages.map(passageShape) },
  };
}
