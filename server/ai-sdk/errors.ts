/** Errors as the AI SDK's clients show them: `error.message` is the body of the answer. */
import type { ErrorBody } from '../../state/errors.ts';

const ROOT = '/ai';

export function isAiSdkPath(path: string): boolean {
  return path.startsWith(`${ROOT}/`);
}

export function aiSdkError({ message, detail }: Pick<ErrorBody, 'message' | 'detail'>): string {
  return detail === undefined ? message : `${message}: ${detail}`;
}
