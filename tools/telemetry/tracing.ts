/** The interface for reporting spans. If no endpoint is configured, `Tracing` is undefined, and nothing is reported. */

type Attribute = string | number | boolean | string[] | undefined;

/** Undefined attributes are left out. */
export type Attributes = Record<string, Attribute>;

export interface Span {
  /** The W3C `traceparent` header, for services that continue the trace. */
  readonly traceparent: string;
  set(attributes: Attributes): void;
  rename(name: string): void;
  /** Must be called once. `error`: the code or class of the failure, never its message. */
  end(error?: string): void;
}

export interface SpanStart {
  kind?: 'internal' | 'server' | 'client' | 'producer';
  /** A span, or the `traceparent` of another process. Default: the active span. */
  parent?: Span | string | undefined;
  /** The `traceparent` of each linked trace. */
  links?: string[];
  attributes?: Attributes;
  /** Attributes of all descendants in this process. */
  inherited?: Attributes;
}

export interface Tracing {
  /** Whether spans may contain prompts, answers, SQL and rows. */
  readonly content: boolean;
  begin(name: string, start?: SpanStart): Span;
  /** Calls `work` with the span as the active span. If one of its descendants is active, that stays active. */
  within<T>(span: Span, work: () => T): T;
  /** Sends the spans that have ended. Takes at most this many milliseconds. */
  close(milliseconds: number): Promise<void>;
}

/** Ends the span when `work` resolves or throws. `done` may add attributes from the result. */
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
