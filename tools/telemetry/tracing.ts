/** What the service tells of its work as spans. Where no endpoint is configured there is no `Tracing`, and nothing is told. */

export type Attribute = string | number | boolean | string[] | undefined;

/** Those that are undefined are left out. */
export type Attributes = Record<string, Attribute>;

export interface Span {
  /** As a W3C trace context header has it: for those who go on with the trace. */
  readonly traceparent: string;
  set(attributes: Attributes): void;
  rename(name: string): void;
  /** To be called once. `error`: the code or class of what it failed with, never its message. */
  end(error?: string): void;
}

export interface SpanStart {
  kind?: 'internal' | 'server' | 'client' | 'producer';
  /** A span, or a `traceparent` of another process; default: the span that is active here. */
  parent?: Span | string | undefined;
  /** Other traces that it has to do with, by their `traceparent`. */
  links?: string[];
  attributes?: Attributes;
  /** Attributes of every span below, in this process. */
  inherited?: Attributes;
}

export interface Tracing {
  /** Whether prompts, answers, SQL and rows may be told. */
  readonly content: boolean;
  begin(name: string, start?: SpanStart): Span;
  /** Calls `work` so that what begins within it is below the span. Where it already is, or is below another span there, what is active stays. */
  within<T>(span: Span, work: () => T): T;
  /** Sends what has ended, for so many milliseconds at most. */
  close(milliseconds: number): Promise<void>;
}

/** The span ends with what `work` resolves with or throws; `done` may add what is known then. */
export async function traced<T>(
  tracing: Tracing,
  span: Span,
  work: () => Promise<T>,
  done: (result: T) => void = () => {},
): Promise<T> {
  try {
    const result = await tracing.within(span, work);
    done(result);
    span.end();
    return result;
  } catch (error) {
    span.end(errorType(error));
    throw error;
  }
}

/** The stable code of an error, otherwise its class. */
export function errorType(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : 'Error';
}
