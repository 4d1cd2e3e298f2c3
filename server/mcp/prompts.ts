/** The prompt files as MCP's prompts: a template's variables are its arguments. */
import type { GetPromptResult, ListPromptsResult } from '@modelcontextprotocol/server';
import { DEFAULT_REVISION, type PromptName } from '../../prompts/names.ts';
import { withPointers } from '../../tools/text/block.ts';
import { jsonOf } from '../http/json-body.ts';
import type { McpCall } from './call.ts';
import { pageAfter } from './pages.ts';

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

/** Throws PROMPT_NOT_FOUND, or PROMPT_INVALID where an argument is missing. */
export async function getPrompt(
  { services: { promptEditor } }: McpCall,
  { name, arguments: given = {} }: { name: string; arguments?: Record<string, string> | undefined },
): Promise<GetPromptResult> {
  const variables = Object.entries(given).map(([variable, text]) => [variable, argumentOf(text)]);
  const text = await promptEditor.preview(nameIn(name), withPointers(Object.fromEntries(variables)));
  return { messages: [{ role: 'user', content: { type: 'text', text } }] };
}

/** Files of the shipped revision go by their own name alone. */
function publicName({ revision, file }: PromptName): string {
  return revision === DEFAULT_REVISION ? file : `${revision}/${file}`;
}

function nameIn(name: string): PromptName {
  const at = name.indexOf('/');
  if (at < 0) return { revision: DEFAULT_REVISION, file: name };
  return { revision: name.slice(0, at), file: name.slice(at + 1) };
}

/** Arguments are text: lists and objects for a template come as JSON. */
function argumentOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return jsonOf(text);
  } catch {
    return text;
  }
}
