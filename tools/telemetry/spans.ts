/** Implements the service's tracing interface with OpenTelemetry. */
import {
  type Context,
  context,
  createContextKey,
  type Link,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Attributes, Span, SpanStart, Tracing } from './tracing.ts';

/**
 * The innermost active span of the service. Spans that other code begins inside of it become its children, not its siblings.
 */
const SCOPE = createContextKey('the span of the service');

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
};

interface Begun extends Span {
  span: OtelSpan;
  /** The context in which it started. */
  around: Context;
  inherited: Attributes;
}

export function spansOf(tracer: Tracer, { content }: Pick<Tracing, 'content'>): Omit<Tracing, 'close'> {
  const begun = new WeakSet<Span>();
  const isOurs = (span: unknown): span is Begun => begun.has(span as Span);

  function contextOf(parent: SpanStart['parent']): Context {
    if (isOurs(parent)) return trace.setSpan(parent.around, parent.span).setValue(SCOPE, parent);
    const remote = typeof parent === 'string' ? spanContextOf(parent) : undefined;
    return remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : context.active();
  }

  /** Whether the active span is this span or one of its descendants. */
  function isBelow(span: Span): boolean {
    let scope = context.active().getValue(SCOPE);
    while (isOurs(scope) && scope !== span) scope = scope.around.getValue(SCOPE);
    return scope === span;
  }

  function begin(name: string, start: SpanStart = {}): Span {
    const around = contextOf(start.parent);
    const scope = around.getValue(SCOPE);
    const inherited = { ...(isOurs(scope) && scope.inherited), ...start.inherited };
    const attributes = { ...inherited, ...start.attributes };
    const links = (start.links ?? []).flatMap((link): Link[] => {
      const linked = spanContextOf(link);
      return linked ? [{ context: linked }] : [];
    });
    const kind = KINDS[start.kind ?? 'internal'];
    const span = tracer.startSpan(name, { kind, attributes, links }, around);
    const made: Begun = {
      ...{ span, around, inherited },
      traceparent: traceparentOf(span.spanContext()),
      set: (added) => void span.setAttributes(added),
      rename: (other) => void span.updateName(other),
      end(error) {
        if (error !== undefined) {
          span.setAttribute('error.type', error);
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end();
      },
    };
    begun.add(made);
    return made;
  }

  return {
    content,
    begin,
    within(span, work) {
      return isBelow(span) ? work() : context.with(contextOf(span), work);
    },
  };
}

// W3C Trace Context, version 00.
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

function spanContextOf(traceparent: string): SpanContext | undefined {
  const [, traceId, spanId, flags = '00'] = TRACEPARENT.exec(traceparent) ?? [];
  if (!traceId || !spanId) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
