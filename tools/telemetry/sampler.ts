/** The sampler that OTEL_TRACES_SAMPLER names: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';

/** If the variable is unset or unknown, the caller's decision is used. Without one, every trace is sampled. */
export function samplerOf(environment: Readonly<Record<string, string | undefined>>): Sampler {
  const { OTEL_TRACES_SAMPLER: name = '', OTEL_TRACES_SAMPLER_ARG: argument = '' } = environment;
  const [, parent, kind] = /^(parentbased_)?(.*)$/.exec(name.trim().toLowerCase()) ?? [];
  const root = rootSampler(kind, argument);
  if (!root) return new ParentBasedSampler({ root: new AlwaysOnSampler() });
  return parent ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(kind: string | undefined, argument: string): Sampler | undefined {
  if (kind === 'always_on') return new AlwaysOnSampler();
  if (kind === 'always_off') return new AlwaysOffSampler();
  if (kind !== 'traceidratio') return undefined;
  const ratio = argument.trim() === '' ? 1 : Number(argument);
  return new TraceIdRatioBasedSampler(ratio >= 0 && ratio <= 1 ? ratio : 1);
}
