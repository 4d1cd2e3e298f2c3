/** Prompt files: revisions, texts with their tags, versions, previews and dry runs. */
import { api, ask, askWhole } from '../service.ts';
import { given } from './threads.ts';
import { readWorkflows, type Workflow } from './workflows.ts';

export interface PromptName {
  revision: string;
  file: string;
}

/** The revision of the shipped files, which every other one falls back to. */
export const DEFAULT_REVISION = 'default';

export const listRevisions = async () => (await ask(api.prompts.revisions.get())).revisions;

export type Revision = Awaited<ReturnType<typeof listRevisions>>[number];

export const listFiles = (revision: string) =>
  ask(api.prompts.list({ revision_id: encodeURIComponent(revision) }).get());

export interface PromptText {
  text: string;
  /** Names this very version: an update that gives it is refused where there is a newer one. */
  etag: string;
}

/** The newest version, or the one that is named. */
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
      .post({ content }, { headers: given({ 'if-match': etag }) }),
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

interface Trial {
  content: string;
  turns: number;
  /** Ends it, at the service too. */
  signal: AbortSignal;
}

export async function dryRun({ revision, file }: PromptName, { content, turns, signal }: Trial) {
  const asked = api.prompts['dry-run'](part(revision))(fileOf(file));
  return (await ask(asked.post({ content, turns }, { fetch: { signal } }))).workflow_turns;
}

export type RehearsedTurn = Awaited<ReturnType<typeof dryRun>>[number];

/** The workflows that use the file when they use this revision; those of all revisions for `default`. */
export async function usersOf({ revision, file }: PromptName): Promise<Workflow[]> {
  const { workflows } = await readWorkflows();
  return workflows.filter(
    (workflow) =>
      uses(workflow, file) && (revision === DEFAULT_REVISION || workflow.prompt_revision === revision),
  );
}

/** Files of the conversation itself are everybody's. */
export function uses({ prompt_files }: Workflow, file: string): boolean {
  return prompt_files.includes(file) || file.startsWith('conversation.');
}

const part = (revision: string) => ({ revision_id: encodeURIComponent(revision) });
const fileOf = (file: string) => ({ filename: encodeURIComponent(file) });

function pathOf({ revision, file }: PromptName): string {
  return `${encodeURIComponent(revision)}/${encodeURIComponent(file)}`;
}
