/** Reads a provider's answer as it arrives: server-sent events or one JSON document, and never without a bound. */
import { ProviderError } from './provider-error.ts';

// Far above any answer of a chat model, and little enough to hold a few hundred of them.
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Hands each document over, a JSON text. Throws a ProviderError, or what the body's stream throws when it is aborted. */
export async function readAnswer(response: Response, onDocument: (json: string) => void): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  const { body } = response;
  if (!body) throw new ProviderError('malformed', "the provider's answer is empty");
  if (type.includes('text/html')) {
    void body.cancel();
    throw new ProviderError('malformed', 'the provider sent a web page');
  }
  const reader = type.includes('application/json') ? wholeReader(onDocument) : eventReader(onDocument);
  await readText(bounded(body), reader.add);
  reader.end();
}
