/** Calls to this service from within its process: LangGraph's `new Client()` without a URL, and webhooks with a path. */

export interface InProcess {
  /** Only uses the path and the query of the URL. */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  /** Sets the URL that clients report as the service's address. */
  serve(url: string): void;
  /** Clients that are created from now on don't reach the service. */
  close(): void;
}

// LangGraph's SDK reads these global symbols. If a process opens several services, clients reach the last one.
const FETCH = Symbol.for('langgraph_api:fetch');
const URL_OF_API = Symbol.for('langgraph_api:url');

const ORIGIN = 'http://localhost';

/** Must be called before the project's code is loaded, because that code may create clients at its top level. */
export function openInProcess(answer: (request: Request) => Promise<Response>): InProcess {
  const globals = globalThis as Record<symbol, unknown>;

  async function fetch(url: string | URL, init?: RequestInit): Promise<Response> {
    const { pathname, search } = new URL(url, ORIGIN);
    return answer(new Request(`${ORIGIN}${pathname}${search}`, init));
  }

  globals[FETCH] = fetch;
  globals[URL_OF_API] = ORIGIN;
  return {
    fetch,
    serve(url) {
      if (globals[FETCH] === fetch) globals[URL_OF_API] = url;
    },
    close() {
      if (globals[FETCH] !== fetch) return;
      delete globals[FETCH];
      delete globals[URL_OF_API];
    },
  };
}
