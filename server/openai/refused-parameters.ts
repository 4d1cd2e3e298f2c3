/** Parameters that would change what an answer means, and that a workflow cannot follow. */
import { Type } from '@sinclair/typebox';
import { SkeinError } from '../../state/errors.ts';

const ONE_ANSWER = 'a workflow gives one answer';
const OWN_TOOLS = 'a workflow calls its own tools';
const TEXT = 'a workflow answers in text';
const NO_LOGPROBS = 'a workflow gives no log probabilities';

interface Rule {
  /** Whether a value asks for nothing. */
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
    allows: (value) => Array.isArray(value) && value.every((one) => one === 'text'),
    reason: TEXT,
  },
  logprobs: { allows: (value) => value === false, reason: NO_LOGPROBS },
  top_logprobs: { allows: (value) => value === 0, reason: NO_LOGPROBS },
};

/** For the schema of a body: the handler refuses all but the values that ask for nothing. */
export const refusedParameters = Object.fromEntries(
  Object.entries(RULES).map(([name, { reason }]) => [
    name,
    Type.Optional(Type.Unknown({ description: `Refused: ${reason}` })),
  ]),
);

/** Throws INVALID_REQUEST, naming the parameter. */
export function refuseParameters(body: Record<string, unknown>): void {
  for (const [name, { allows, reason }] of Object.entries(RULES)) {
    const value = body[name] ?? null;
    if (value === null || allows(value)) continue;
    throw new SkeinError('INVALID_REQUEST', { detail: `${name}: not supported, ${reason}` });
  }
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isText(value: unknown): boolean {
  return (value ?? null) === null || (value as { type?: unknown }).type === 'text';
}
