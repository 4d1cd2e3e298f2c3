/** The error text for a request that the service rejects. */
import type { SkeinApiError } from '../../client/api-error.ts';
import { shown } from './style.ts';

/** The message and a hint. */
export function refusalText({ message, detail, status }: SkeinApiError): string {
  const hint = status === 401 ? 'set SKEIN_API_KEY, or SKEIN_USERNAME and SKEIN_PASSWORD' : detail;
  return shown(hint ? `${message}: ${hint}` : message);
}
