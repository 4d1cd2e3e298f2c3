/** What a person is told whom the service refuses. */
import type { SkeinApiError } from '../../client/api-error.ts';
import { shown } from './style.ts';

/** The sentence, and what may help. */
export function refusalText({ message, detail, status }: SkeinApiError): string {
  const hint =
    status === 401 ? 'give credentials in SKEIN_API_KEY, or in SKEIN_USERNAME and SKEIN_PASSWORD' : detail;
  return shown(hint ? `${message}: ${hint}` : message);
}
