/** The `fetch` of the model client: it sends only what a provider needs, follows no redirect and keeps refusals short. */
import { readText } from './answer-body.ts';

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

// The client library adds what it finds in the process's environment, and what it knows of the platform.
const SENT = ['accept', 'authorization', 'content-type', 'user-agent', 'x-skein-task'];

const MAX_REFUSAL_BYTES = 64 * 1024;

/** A redirect would send the key and the conversation to another host: it is answered as the status that it is. */
export function providerFetch(send: Fetch = fetch): Fetch {
  return async (input, init) => {
    const given = new Headers(init?.headers);
    const headers = SENT.flatMap((name): [string, string][] => {
      const value = given.get(name);
      return value === null ? [] : [[name, value]];
    });
    const response = await send(input, { ...init, headers, redirect: 'manual' });
    return response.ok ? response : shortened(response);
  };
}

/** The client library reads a refusal whole, however long it is. */
async function shortened({ body, status, headers }: Response): Promise<Response> {
  let text = '';
  if (body) {
    await readText(body, (piece) => {
      text += piece;
      return text.length < MAX_REFUSAL_BYTES;
    });
  }
  return new Response(body ? text.slice(0, MAX_REFUSAL_BYTES) : null, { status, headers });
}
