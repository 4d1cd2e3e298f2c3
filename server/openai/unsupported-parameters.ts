/** Rejects parameters that would change the meaning of the answer, but that workflows can't support. */
import { Type } from '@sinclair/typebox';
import { SkeinError } from '../../state/errors.ts';

const ONE_ANSWER = 'a workflow returns one answer';
const OWN_TOOLS = 'a workflow uses its own tools';
const TEXT = 'a workflow returns text';
const NO_LOGPROBS = 'a workflow returns no log probabilities';

interface Rule {
  /** Whether the value is the default, which has no effect. */
  allows(value: unknown): boolean;
  reason: string;
}

const RULES: Record<string, Rule> = {
  n: { allows: (value) => value === 1, reason: ONE_ANSWER },
  tools: { allows: isEmpty, reason: OWN_TOOLS },
  functions: { allows: isEmpty, reason: OWN_TOOLS },
  response_format: { allows: isText, reason: TEXT },
  text: { allows: (value) => isText((value as { format?: unknown } | null)?.format), reason: TEXT },
  audio: { allows: () => false, reason: TEXT },
  modalities: {
    allows: (value) => Array.isArray(value) && value.every((modality) => modality === 'text'),
    reason: TEXT,
  },
  logprobs: { allows: (value) => value === false, reason: NO_LOGPROBS },
  top_logprobs: { allows: (value) => value === 0, reason: NO_LOGPROBS },
};

/** The parameters for a request schema. `rejectUnsupported` checks their values. */
export const unsupportedParameters = Object.fromEntries(
  Object.entries(RULES).map(([name, { reason }]) => [
    name,
    Type.Optional(Type.Unknown({ description: `Not supported: ${reason}` })),
  ]),
);

/** Throws INVALID_REQUEST, naming the parameter, if the body has an unsupported parameter with a value that has an effect. */
export function rejectUnsupported(body: Record<string, unknown>): void {
  for (const [name, { allows, reason }] of Object.entries(RULES)) {
    const value = body[name] ?? null;
    if (value === null || allows(value)) continue;
    throw new SkeinError('INVALID_REQUEST', { detail: `${name}: not supported, because ${reason}` });
  }
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isText(value: unknown): boolean {
  return (value ?? null) === null || (value as { type?: unknown }).type === 'text';
}
