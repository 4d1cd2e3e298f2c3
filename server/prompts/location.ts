/** Adds the file and the revision to all errors of the prompts endpoints. */
import { placeOf, revisionPlace } from '../../prompts/names.ts';
import type { ErrorBody } from '../../state/errors.ts';

const PATH = /^\/api\/v1\/prompts\/[a-z-]+\/([^/]+)(?:\/([^/]+))?\/?$/;

export function withPromptLocation(body: ErrorBody, path: string): ErrorBody {
  const [found, revision, file] = PATH.exec(path) ?? [];
  if (!found || revision === undefined) return body;
  const location =
    file === undefined
      ? revisionPlace(decoded(revision))
      : placeOf({ revision: decoded(revision), file: decoded(file) });
  if (body.detail?.startsWith(location)) return body;
  return { ...body, detail: body.detail === undefined ? location : `${location}: ${body.detail}` };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
