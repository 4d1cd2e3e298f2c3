/** The prompt files as MCP prompts. The variables of a template are the arguments. */
import type { GetPromptResult, ListPromptsResult } from '@modelcontextprotocol/server';
import { DEFAULT_REVISION, type PromptName } from '../../prompts/names.ts';
import { withPointers } from '../../tools/text/block.ts';
import { parseJson } from '../http/bodies/json-body.ts';
import type { McpCall } from './call.ts';
import { pageAfter } from './pagination.ts';

/** Lists the prompt files of all revisions. Throws INVALID_REQUEST for an invalid cursor. */
export async function listPrompts(
  { services: { promptFiles, promptEditor } }: McpCall,
  cursor: string | undefined,
): Promise<ListPromptsResult> {
  const revisions = await promptFiles.revisions();
  const names = await Promise.all(
    revisions.map(async ({ revision_id: revision }) =>
      (await promptFiles.list(revision)).map((file) => ({ revision, file })),
    ),
  );
  const { items, nextCursor } = pageAfter(names.flat(), cursor, publicName);
  const prompts = await Promise.all(
    items.map(async (name) => {
      const variables = await promptEditor.variables(name);
      return {
        name: publicName(name),
        description: `Prompt file ${name.file}, revision ${name.revision}`,
        arguments: [...variables].map((variable) => ({ name: variable, required: true })),
      };
    }),
  );
  return { prompts, ...(nextCursor !== undefined && { nextCursor }) };
}

/** Renders a prompt. Throws PROMPT_NOT_FOUND, or PROMPT_INVALID if an argument is missing. */
export async function getPrompt(
  { services: { promptEditor } }: McpCall,
  { name, arguments: args = {} }: { name: string; arguments?: Record<string, string> | undefined },
): Promise<GetPromptResult> {
  const variables = Object.entries(args).map(([variable, text]) => [variable, parseArgument(text)]);
  const text = await promptEditor.preview(parseName(name), withPointers(Object.fromEntries(variables)));
  return { messages: [{ role: 'user', content: { type: 'text', text } }] };
}

/** `revision/file`; only the file for the default revision. */
function publicName({ revision, file }: PromptName): string {
  return revision === DEFAULT_REVISION ? file : `${revision}/${file}`;
}

function parseName(name: string): PromptName {
  const slash = name.indexOf('/');
  if (slash < 0) return { revision: DEFAULT_REVISION, file: name };
  return { revision: name.slice(0, slash), file: name.slice(slash + 1) };
}

/** MCP arguments are texts, so lists and objects are passed as JSON. */
function parseArgument(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
