/** Calls to this service from within its process: LangGraph's `new Client()` without a URL, and webhooks with a path. */

export interface InProcess {
  /** Of a URL only the path and the query count. */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  /** From here on calls are answered; `url` is what clients take for the service's address. */
  serve(url: string): void;
  /** Clients made from now on no longer reach the service. */
  close(): void;
}

// Where LangGraph's SDK looks. The last service that was opened in a process is the one that is reached.
const FETCH = Symbol.for('langgraph_api:fetch');
const URL_OF_API = Symbol.for('langgraph_api:url');

const HERE = 'http://localhost';

/** To be called before the project's code is loaded, which may make its clients then. */
export function openInProcess(answer: (request: Request) => Promise<Response>): InProcess {
  const place = globalThis as Record<symbol, unknown>;

  async function fetch(url: string | URL, init?: RequestInit): Promise<Response> {
    const { pathname, search } = new URL(url, HERE);
    return answer(new Request(`${HERE}${pathname}${search}`, init));
  }

  place[FETCH] = fetch;
  place[URL_OF_API] = HERE;
  return {
    fetch,
    serve(url) {
      if (place[FETCH] === fetch) place[URL_OF_API] = url;
    },
    close() {
      if (place[FETCH] !== fetch) return;
      delete place[FETCH];
      delete place[URL_OF_API];
    },
  };
}
