/** Errors for the AI SDK, which are plain text: its clients use the response body as `error.message`. */
import type { ErrorBody } from '../../state/errors.ts';

const ROOT = '/ai';

export function isAiSdkPath(path: string): boolean {
  return path.startsWith(`${ROOT}/`);
}

export function aiSdkError({ message, detail }: Pick<ErrorBody, 'message' | 'detail'>): string {
  return detail === undefined ? message : `${message}: ${detail}`;
}
