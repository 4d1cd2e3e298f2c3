/** A protocol of the service as the tests of all of them see it: how a turn is asked for, and what came of it. */

export interface Asked {
  text: string;
  workflow: string;
  /** The caller's name of the conversation; a new one without it. */
  thread?: string;
}

export interface FaceRequest {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface Seen {
  status: number;
  /** The service's own, where the protocol has a place for it. */
  code: string | undefined;
  /** The answer, or what its client shows of the error. */
  text: string;
  /** By which `reads` look at what was made. */
  id?: string | undefined;
}

export interface Face {
  name: string;
  ask(asked: Asked): FaceRequest;
  read(response: Response): Promise<Seen>;
  /** Requests for what a turn has made, by the id that `read` gave, or by the thread's. */
  reads(made: { id: string; thread: string }): FaceRequest[];
  /** The answer comes piece by piece. */
  streams?: true;
  /** Takes an Idempotency-Key. */
  idempotent?: true;
  /** The status of an answer that tells of a run that failed, where it is not the error's own. */
  failedRun?: 200;
  /** The same of a request that the protocol's own handler refuses. */
  refused?: 200;
  /** The error of an unknown workflow, where it is not a 404 with WORKFLOW_NOT_FOUND. */
  unknownWorkflow?: { status: number; code?: string };
  /** The status of what a used-up budget or a full service refuses, where it is not 429 or 503. */
  noRoom?: 200;
  /** How the end of a run is told that somebody cancelled, where its answer has no word of it. */
  cancelled?: RegExp;
  /** What is refused is told in plain text, without a code. */
  plain?: true;
  /** A run goes on when its client goes away. */
  outlives?: true;
  /** A question cancels the turn before it. */
  supersedes?: true;
  /** The graph is given what its caller sends, an empty question too. */
  takesAnything?: true;
}

/** The objects of a stream of events. */
// biome-ignore lint/suspicious/noExplicitAny: what came over the wire is what the test looks into
export function dataOf(text: string): any[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]');
  return lines.map((line) => JSON.parse(line.slice('data: '.length)));
}

export function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false;
}
