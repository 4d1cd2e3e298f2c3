/** OTEL_TRACES_SAMPLER: which traces each sampler records. */
import { expect, test } from 'bun:test';
import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { samplerOf } from '../../../tools/telemetry/sampler.ts';

const TRACES = ['0'.repeat(31).concat('1'), 'f'.repeat(8).padEnd(32, '0')];

/** Whether a trace is recorded: at the root, below a recorded parent, and below an unrecorded one. */
function decisions(OTEL_TRACES_SAMPLER?: string, OTEL_TRACES_SAMPLER_ARG?: string): string {
  const sampler = samplerOf({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG });
  const parents = [undefined, 1, 0].map((traceFlags) => (traceId: string) => {
    if (traceFlags === undefined) return ROOT_CONTEXT;
    return trace.setSpanContext(ROOT_CONTEXT, {
      traceId,
      spanId: '1'.repeat(16),
      traceFlags,
      isRemote: true,
    });
  });
  return parents
    .map((parent) =>
      TRACES.map((id) => {
        const { decision } = sampler.shouldSample(parent(id), id, 'name', SpanKind.INTERNAL, {}, []);
        return decision > 0 ? 'x' : '-';
      }).join(''),
    )
    .join(' ');
}

test.each([
  [undefined, undefined, 'xx xx --'],
  ['nonsense', undefined, 'xx xx --'],
  ['always_on', undefined, 'xx xx xx'],
  ['always_off', undefined, '-- -- --'],
  ['traceidratio', '0.5', 'x- x- x-'],
  ['traceidratio', undefined, 'xx xx xx'],
  ['traceidratio', '7', 'xx xx xx'],
  ['parentbased_always_on', undefined, 'xx xx --'],
  ['parentbased_always_off', undefined, '-- xx --'],
  ['parentbased_traceidratio', '0.5', 'x- xx --'],
])('%p with %p', (name, argument, expected) => {
  expect(decisions(name, argument)).toBe(expected);
});
