/** The versions of prompt files in a result, as text. */
import type { ResultHead } from '../data/datasets.ts';

type Prompts = Pick<ResultHead, 'prompts'>;
type Prompt = Prompts['prompts'][number];

/** One line for all files: changed versions first, then the number of shipped files. */
export function promptsText({ prompts }: Prompts): string {
  const own = prompts.filter(({ version }) => version !== 0);
  const shipped = prompts.length - own.length;
  const named = own.map((one) => `${one.filename} ${versionText(one)}`);
  return [...named, ...(shipped > 0 ? [`${shipped} shipped`] : [])].join(', ');
}

export function versionText({ revision_id, version }: Prompt): string {
  if (version === null) return revision_id;
  return version === 0 ? `${revision_id}, shipped` : `${revision_id} v${version}`;
}

/** The files with a different text than in the earlier result. */
export function changedPrompts(
  { prompts }: Prompts,
  before: Prompts,
): { now: Prompt; was: Prompt | undefined }[] {
  return prompts.flatMap((now) => {
    const was = before.prompts.find(({ filename }) => filename === now.filename);
    return was?.sha256 === now.sha256 ? [] : [{ now, was }];
  });
}
