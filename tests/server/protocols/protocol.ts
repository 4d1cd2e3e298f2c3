/** A protocol as the shared tests see it: how to request a turn, and how to read the outcome. */

export interface Question {
  text: string;
  workflow: string;
  /** The caller's id of the conversation. A new conversation without it. */
  thread?: string;
}

export interface ProtocolRequest {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface Outcome {
  status: number;
  /** The service's error code, if the protocol has a field for it. */
  code: string | undefined;
  /** The answer, or the error that clients of the protocol show. */
  text: string;
  /** The id with which `reads` requests the resources of the turn. */
  id?: string | undefined;
}

export interface Protocol {
  name: string;
  ask(question: Question): ProtocolRequest;
  read(response: Response): Promise<Outcome>;
  /** Requests for the resources of a turn, by the id from `read`, or by the thread's. */
  reads(made: { id: string; thread: string }): ProtocolRequest[];
  /** The response is a stream. */
  streams?: true;
  /** Supports Idempotency-Key. */
  idempotent?: true;
  /** The status of a response about a failed run, if it is not that of the error. */
  failedRun?: 200;
  /** The same for requests that the protocol's own handler rejects. */
  refused?: 200;
  /** The error of an unknown workflow, if it is not a 404 with WORKFLOW_NOT_FOUND. */
  unknownWorkflow?: { status: number; code?: string };
  /** The status if a budget is used up or the service is full, if it is not 429 or 503. */
  limitStatus?: 200;
  /** The end of a cancelled run, if the response has no text about it. */
  cancelled?: RegExp;
  /** Rejections are plain text without a code. */
  plain?: true;
  /** A run continues when its client disconnects. */
  continuesOnDisconnect?: true;
  /** A question cancels the turn before it. */
  supersedes?: true;
  /** The graph gets the caller's input unchanged, even an empty question. */
  takesAnything?: true;
}

/** The objects in an event stream. */
// biome-ignore lint/suspicious/noExplicitAny: parsed JSON of a response
export function dataOf(text: string): any[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]');
  return lines.map((line) => JSON.parse(line.slice('data: '.length)));
}

export function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false;
}
