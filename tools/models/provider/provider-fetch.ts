/** The `fetch` of the model client: minimal headers, no redirects, and short rejections in one format. */
import { readText } from '../answer/body-text.ts';
import { refusalBody } from '../errors/refusal-body.ts';

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

// The client library would add headers from environment variables and about the platform.
const SENT = ['accept', 'authorization', 'content-type', 'user-agent', 'traceparent', 'x-skein-task'];

const MAX_REFUSAL_BYTES = 64 * 1024;

/**
 * A redirect would send the key and the conversation to another host, so it is a rejection with the redirect's status.
 * `timeout: false`, because Bun would otherwise abort a silent request after five minutes, regardless of the model's timeout.
 */
export function providerFetch(send: Fetch = fetch): Fetch {
  return async (input, init) => {
    const given = new Headers(init?.headers);
    const headers = SENT.flatMap((name): [string, string][] => {
      const value = given.get(name);
      return value === null ? [] : [[name, value]];
    });
    const request: RequestInit & { timeout: false } = {
      ...init,
      headers,
      redirect: 'manual',
      timeout: false,
    };
    const response = await send(input, request);
    return response.ok ? response : shortened(response);
  };
}

/**
 * Truncates rejections, because the client library reads them completely, however long they are. A truncated rejection still
 * counts as one.
 */
async function shortened({ body, status, headers }: Response): Promise<Response> {
  if (!body) return new Response(null, { status, headers });
  let text = '';
  const enough = (piece: string, bytes: number) => {
    text += piece;
    return bytes >= MAX_REFUSAL_BYTES;
  };
  await readText(body, enough).catch(() => {});
  const error = refusalBody(text.slice(0, MAX_REFUSAL_BYTES));
  const answerHeaders = new Headers(headers);
  for (const name of ['content-length', 'content-encoding']) answerHeaders.delete(name);
  answerHeaders.set('content-type', 'application/json');
  return new Response(JSON.stringify({ error }), { status, headers: answerHeaders });
}
