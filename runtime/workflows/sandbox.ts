/** Sandboxes for dry runs: a workflow that is compiled again with a draft of a prompt file. */
import type { Discovered } from '../../graphs/discovery/discover.ts';
import { type Draft, withDraft } from '../../prompts/draft-source.ts';
import { DEFAULT_REVISION } from '../../prompts/names.ts';
import { createPrompts, type PromptSource, type Prompts } from '../../prompts/prompts.ts';
import type { Renderer } from '../../prompts/templates/renderer.ts';
import type { RegisteredWorkflow, RunnableWorkflow } from './registered.ts';
import { registerWorkflows } from './registry.ts';
import { sharedSql } from './shared-sql.ts';
import type { WorkflowParts } from './workflow-tools.ts';

export interface Sandbox {
  workflow: RunnableWorkflow;
  prompts: Prompts;
}

/**
 * `revision`: the draft's revision, which the workflow then uses. A draft in `default` keeps the configured revision, since
 * every revision falls back to `default`.
 */
export type OpenSandbox = (
  workflow: RegisteredWorkflow,
  draft: Draft & { revision: string },
) => Promise<Sandbox>;

export interface SandboxParts extends Omit<WorkflowParts, 'prompts'> {
  found: Discovered[];
  source: PromptSource;
  renderer: Renderer;
}

export function createOpenSandbox({ found, source, renderer, sql, ...parts }: SandboxParts): OpenSandbox {
  const open = sharedSql(sql.open);
  return async ({ name, settings }, { revision, ...draft }) => {
    const prompts = createPrompts(withDraft(source, draft), renderer);
    const given = { ...(parts.settings[name] as object | undefined), followup_questions: false };
    const prompt_revision = revision === DEFAULT_REVISION ? settings.prompt_revision : revision;
    const { runnable } = await registerWorkflows(
      found.filter((one) => one.name === name),
      {
        ...parts,
        settings: { [name]: { ...given, prompt_revision } },
        prompts,
        sql: { ...sql, open },
      },
    );
    return { workflow: runnable(name), prompts };
  };
}
