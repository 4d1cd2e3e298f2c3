/** The configured knowledge base as a LangChain tool, for any graph. */
import { type StructuredToolInterface, type ToolRunnableConfig, tool } from '@langchain/core/tools';
import type { JsonSchema7Type } from '@langchain/core/utils/json_schema';
import type { Passage } from '../../tools/knowledge/library.ts';
import { UNTRUSTED } from '../../tools/text/block.ts';
import { passagesText } from '../../tools/text/passages-text.ts';
import { calledIn } from './called-in.ts';

export interface KnowledgeToolOptions {
  /** The tool's name for the model. Default: `search_documents`. */
  name?: string;
  /** The tool's description for the model. It should say which documents exist. */
  description?: string;
  /** The maximum number of passages. Default: `workflows.knowledge-base-agent.top_k`. */
  limit?: number;
  /** The minimum cosine similarity of a result, 0 to 1. Default: `workflows.knowledge-base-agent.threshold`. */
  threshold?: number;
}

/** An item of the message's artifact, best first. */
type FoundPassage = Pick<
  Passage,
  'id' | 'document' | 'heading' | 'page' | 'start' | 'end' | 'text' | 'scores'
>;

const DESCRIPTION =
  'Searches the documents of the knowledge base by words and by meaning. Gives the passages that fit best, each with its document, heading and page.';

const INPUT: JsonSchema7Type = {
  type: 'object',
  properties: {
    query: {
      type: 'string',
      minLength: 1,
      maxLength: 2_000,
      description: 'A question or the words to look for, understandable without the conversation',
    },
  },
  required: ['query'],
};

const NOTHING =
  'The documents say nothing about this. Search again with other words, or say that they do not answer the question.';

/** The message has the passages as text, and as a list in the artifact. Only works in a run; throws elsewhere. */
export function knowledgeTool(options: KnowledgeToolOptions = {}): StructuredToolInterface {
  const { name = 'search_documents', description = DESCRIPTION } = options;
  const search = async (
    { query }: { query: string },
    called: ToolRunnableConfig,
  ): Promise<[string, FoundPassage[]]> => {
    const { sources, signal } = calledIn(called, 'knowledgeTool()');
    const { limit = sources.searchRules.limit, threshold = sources.searchRules.threshold } = options;
    const bounds = { limit, ...(threshold !== undefined && { threshold }) };
    const { found, passages } = await sources.openLibrary().search(query, { ...bounds, signal });
    if (!found) return [NOTHING, []];
    return [`${UNTRUSTED}\n${passagesText(passages)}`, passages.map(plain)];
  };
  return tool(search, {
    ...{ name, description, schema: INPUT },
    responseFormat: 'content_and_artifact',
    verboseParsingErrors: true,
  });
}

/** The stored form: plain text and numbers only. */
function plain({ id, document, heading, page, start, end, text, scores }: Passage): FoundPassage {
  const { vector, text: words, fused } = scores;
  return { id, document, heading, page, start, end, text, scores: { vector, text: words, fused } };
}
