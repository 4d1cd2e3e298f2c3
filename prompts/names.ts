/** Valid names of revisions and prompt files, and how errors quote them. */
import { type ErrorCode, SkeinError } from '../state/errors.ts';

/** The revision of the shipped files, which every other revision falls back to. */
export const DEFAULT_REVISION = 'default';

export interface PromptName {
  revision: string;
  file: string;
}

export const REVISION = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const FILE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}\.(md|jinja|txt)$/;

export function isRevision(name: string): boolean {
  return REVISION.test(name) && !name.includes('..');
}

export function isPromptFile(name: string): boolean {
  return FILE.test(name) && !name.includes('..');
}

export function isPromptName({ revision, file }: PromptName): boolean {
  return isRevision(revision) && isPromptFile(file);
}

/** The file and the revision, as errors name them. */
export function describePrompt({ revision, file }: PromptName): string {
  return `prompt file '${printable(file)}' of ${describeRevision(revision)}`;
}

export function describeRevision(revision: string): string {
  return `revision '${printable(revision)}'`;
}

export function promptError(code: ErrorCode, name: PromptName, reason?: string, cause?: unknown): SkeinError {
  const label = describePrompt(name);
  return new SkeinError(code, { detail: reason === undefined ? label : `${label}: ${reason}`, cause });
}

/** Names are untrusted: those that are not plain text or too long are not repeated. */
function printable(name: string): string {
  return name.slice(0, 160).replaceAll(/[^\w.-]/g, '?');
}
