/** `traceparent` of callers: a valid one is continued, any other begins a trace. */
import { expect } from 'bun:test';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import fc from 'fast-check';
import { spansOf } from '../../../tools/telemetry/spans.ts';
import { anyOrder, anyText, edited, property } from '../../support/property.ts';

const { begin } = spansOf(new TracerProvider().getTracer('test'), { content: false });
const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const valid = fc
  .tuple(hex(32), hex(16), fc.constantFrom('00', '01', 'ff'))
  .map((parts) => `00-${parts.join('-')}`);
const zero = fc.constantFrom(
  `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`,
  `00-${'1'.repeat(32)}-${'0'.repeat(16)}-01`,
);

/** https://www.w3.org/TR/trace-context/#traceparent-header, version 00. */
function traceOf(text: string): string | undefined {
  const [version, trace = '', span = '', flags = '', ...more] = text.split('-');
  const isHex = /^[0-9a-f]+$/.test(trace + span + flags);
  const hasLengths = trace.length === 32 && span.length === 16 && flags.length === 2;
  if (version !== '00' || more.length > 0 || !isHex || !hasLengths) return undefined;
  return /[^0]/.test(trace) && /[^0]/.test(span) ? trace : undefined;
}

property(
  'a span continues the trace of a valid header, and has a valid one itself',
  [
    fc.oneof(
      valid,
      zero,
      edited(valid, ['-', '0', 'g', 'F', ' ', '\n']),
      anyOrder(['00', '-', 'a', '01'], 8),
      anyText,
    ),
  ],
  (text) => {
    const span = begin('work', { parent: text, links: [text] });
    const [, trace, id] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-0[01]$/.exec(span.traceparent) ?? [];
    expect(id).toBeString();
    expect(id).not.toBe(text.split('-')[2]);
    const continued = traceOf(text);
    if (continued === undefined) expect(text).not.toContain(trace ?? '');
    else expect(trace).toBe(continued);
    const below = begin('inner', { parent: span });
    expect(below.traceparent).toContain(`-${trace}-`);
    below.end();
    span.end();
  },
);
