/** Describes failures of the search service without its address, its key or its own text. */
import { SkeinError } from '../../../state/errors.ts';

/** Converts an error to DATABASE_CONNECTION_FAILED. The service's own errors are returned unchanged. */
export function failureOf(error: unknown): Error {
  if (error instanceof SkeinError) return error;
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  return unavailable(detailOf(typeof statusCode === 'number' ? statusCode : 0), error);
}

export function unavailable(detail: string, cause?: unknown): SkeinError {
  return new SkeinError('DATABASE_CONNECTION_FAILED', { detail: `Cloud search: ${detail}`, cause });
}

function detailOf(status: number): string {
  if (status === 401 || status === 403) return 'the service rejects cloud_search.api_key';
  if (status === 404) return 'the service has no index named by cloud_search.index_name';
  if (status === 400)
    return 'the service rejects the query; see docs/knowledge-base.md for the fields that an index needs';
  if (status === 429 || status === 503) return 'the service is too busy';
  if (status > 0) return `the service responded with status ${status}`;
  return 'the service cannot be reached, or its response cannot be read';
}
