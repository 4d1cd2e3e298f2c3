/** Adds the file and the revision to all errors of the prompts endpoints. */
import { describePrompt, describeRevision } from '../../prompts/names.ts';
import type { ErrorBody } from '../../state/errors.ts';

const PATH = /^\/api\/v1\/prompts\/[a-z-]+\/([^/]+)(?:\/([^/]+))?\/?$/;

/** `path` is that of the request. Returns the body unchanged for paths without a revision. */
export function withPromptName(body: ErrorBody, path: string): ErrorBody {
  const [found, revision, file] = PATH.exec(path) ?? [];
  if (!found || revision === undefined) return body;
  const name =
    file === undefined
      ? describeRevision(decoded(revision))
      : describePrompt({ revision: decoded(revision), file: decoded(file) });
  if (body.detail?.startsWith(name)) return body;
  return { ...body, detail: body.detail === undefined ? name : `${name}: ${body.detail}` };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
