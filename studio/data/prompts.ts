/** Prompt files: revisions, texts with their ETags, versions, previews and dry runs. */
import { api, ask, askWhole } from '../service/service.ts';
import { omitEmpty } from './threads/threads.ts';
import { readWorkflows, type Workflow } from './workflows.ts';

export interface PromptName {
  revision: string;
  file: string;
}

/** The revision of the shipped files, which all other revisions fall back to. */
export const DEFAULT_REVISION = 'default';

export const listRevisions = async () => (await ask(api.prompts.revisions.get())).revisions;

export type Revision = Awaited<ReturnType<typeof listRevisions>>[number];

export const listFiles = (revision: string) =>
  ask(api.prompts.list({ revision_id: encodeURIComponent(revision) }).get());

export interface PromptText {
  text: string;
  /** Identifies this version. An update with it is rejected if there is a newer version. */
  etag: string;
}

/** The latest version, or version number `version`. */
export async function readPrompt(name: PromptName, version?: number): Promise<PromptText> {
  const query = version === undefined ? '' : `?version=${version}`;
  const response = await askWhole(`/api/v1/prompts/view/${pathOf(name)}${query}`);
  return { text: await response.text(), etag: response.headers.get('etag') ?? '' };
}

export const readVersions = async ({ revision, file }: PromptName) =>
  (await ask(api.prompts.history(part(revision))(fileOf(file)).get())).versions;

export type PromptVersion = Awaited<ReturnType<typeof readVersions>>[number];

export const savePrompt = ({ revision, file }: PromptName, content: string, etag: string | undefined) =>
  ask(
    api.prompts
      .update(part(revision))(fileOf(file))
      .post({ content }, { headers: omitEmpty({ 'if-match': etag }) }),
  );

export const restorePrompt = ({ revision, file }: PromptName, version: number, etag: string) =>
  ask(
    api.prompts
      .restore(part(revision))(fileOf(file))
      .post({ version }, { headers: { 'if-match': etag } }),
  );

export const previewPrompt = ({ revision, file }: PromptName, content: string, variables: object) =>
  ask(
    api.prompts
      .render(part(revision))(fileOf(file))
      .post({ content, variables: variables as Record<string, unknown> }),
  );

interface DryRun {
  content: string;
  turns: number;
  /** Cancels the dry run, also in the service. */
  signal: AbortSignal;
}

export async function dryRun({ revision, file }: PromptName, { content, turns, signal }: DryRun) {
  const route = api.prompts['dry-run'](part(revision))(fileOf(file));
  return (await ask(route.post({ content, turns }, { fetch: { signal } }))).workflow_turns;
}

export type DryRunTurn = Awaited<ReturnType<typeof dryRun>>[number];

/** The workflows that use the file and this revision; for the default revision, those of all revisions. */
export async function workflowsUsing({ revision, file }: PromptName): Promise<Workflow[]> {
  const { workflows } = await readWorkflows();
  return workflows.filter(
    (workflow) =>
      uses(workflow, file) && (revision === DEFAULT_REVISION || workflow.prompt_revision === revision),
  );
}

/** All workflows use the files `conversation.*`. */
export function uses({ prompt_files }: Workflow, file: string): boolean {
  return prompt_files.includes(file) || file.startsWith('conversation.');
}

const part = (revision: string) => ({ revision_id: encodeURIComponent(revision) });
const fileOf = (file: string) => ({ filename: encodeURIComponent(file) });

function pathOf({ revision, file }: PromptName): string {
  return `${encodeURIComponent(revision)}/${encodeURIComponent(file)}`;
}
