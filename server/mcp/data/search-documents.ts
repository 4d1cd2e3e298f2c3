/** The tool `search_documents`, with the same limits as the workflow knowledge-base-agent. */
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
    description: 'text of 1 to 2000 characters: a question or keywords',
  }),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'The maximum number of passages' }),
  ),
});

export const SEARCH_TOOL: Tool = {
  name: SEARCH_DOCUMENTS,
  title: 'Search the documents',
  description:
    'Searches the documents of the knowledge base by keywords and by meaning. Returns the best passages, each with its document, heading and page.',
  inputSchema: listedSchema(Arguments),
  outputSchema: listedSchema(Passages),
  annotations: { readOnlyHint: true, openWorldHint: false },
};

const NOTHING_FOUND = 'The documents say nothing about this.';

/** `limit` can't exceed the configured limit. Throws INVALID_REQUEST for invalid arguments. */
export async function searchDocuments(
  { services: { sources }, request }: McpCall,
  args: Record<string, unknown>,
): Promise<CallToolResult> {
  const { query, limit } = checkedArguments(Arguments, args);
  const { limit: maxLimit = 1, threshold } = sources.searchRules;
  const { found, passages } = await sources.openLibrary().search(query, {
    limit: Math.min(limit ?? maxLimit, maxLimit),
    ...(threshold !== undefined && { threshold }),
    signal: request.signal,
  });
  const text = found ? `${UNTRUSTED}\n${passagesText(passages)}` : NOTHING_FOUND;
  return {
    content: [{ type: 'text', text }],
    structuredContent: { found, passages: passages.map(passageShape) },
  };
}
