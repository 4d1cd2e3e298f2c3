/** The filters of the list of runs in its query. */
import { type Static, Type } from '@sinclair/typebox';
import { workflowName } from '../../runtime/workflows/workflow-name.ts';
import { SkeinError } from '../../state/errors.ts';
import type { RunFilter } from '../../state/threads/archive.ts';
import { timeIn, timeParameter } from '../http/schemas/time-query.ts';
import { RunStatus } from './shape.ts';

const NumberText = (rule: { pattern: string; error: string }, description: string) =>
  Type.Optional(Type.String({ ...rule, description }));

// Query parameters are strings. A pattern, unlike a conversion to a number, yields an error that names the parameter.
const INTEGER = { pattern: '^[0-9]{1,12}$', error: 'expected an integer' };
const AMOUNT = { pattern: '^[0-9]{1,12}([.][0-9]{1,12})?$', error: 'expected a number such as 0.25' };

export const runFilterQuery = {
  workflow: Type.Optional(Type.String({ maxLength: 200, description: 'The name of a workflow' })),
  status: Type.Optional(RunStatus),
  from: timeParameter('Runs accepted at this time or later'),
  to: timeParameter('Runs accepted before this time'),
  min_duration_ms: NumberText(INTEGER, 'Finished runs that took at least this many milliseconds'),
  min_tokens: NumberText(INTEGER, 'Runs with at least this many input and output tokens in total'),
  min_cost: NumberText(
    AMOUNT,
    'Runs that cost at least this much, in the currency of the prices, such as 0.25',
  ),
  error_code: Type.Optional(
    Type.String({
      pattern: '^[A-Z_]{1,60}$',
      description: 'Runs that failed with this error code, such as RUN_TIMEOUT',
      error: 'expected an error code such as RUN_TIMEOUT',
    }),
  ),
  prompt: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description: 'Runs that rendered the prompt file with this name',
    }),
  ),
  prompt_revision: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'The revision of the prompt file' }),
  ),
  prompt_version: NumberText(INTEGER, 'The version of the prompt file. 0 is the shipped file'),
  feedback: Type.Optional(
    Type.Union([Type.Literal('positive'), Type.Literal('negative')], {
      description: 'Runs whose answer got this feedback',
    }),
  ),
};

const RunFilterQuery = Type.Object(runFilterQuery);

/** Converts a valid query to a filter. Throws INVALID_REQUEST for an impossible date, or a prompt's version without its name. */
export function runFilterIn(query: Static<typeof RunFilterQuery>): Omit<RunFilter, 'owner' | 'thread'> {
  const { workflow, status, from, to, min_duration_ms, min_tokens, min_cost, error_code, feedback } = query;
  return {
    workflow: workflow === undefined ? undefined : workflowName(workflow),
    status,
    from: from === undefined ? undefined : timeIn('from', from),
    until: to === undefined ? undefined : timeIn('to', to),
    minDurationMs: numberIn(min_duration_ms),
    minTokens: numberIn(min_tokens),
    minCost: numberIn(min_cost),
    errorCode: error_code,
    prompt: promptIn(query),
    feedback,
  };
}

function promptIn({ prompt, prompt_revision, prompt_version }: Static<typeof RunFilterQuery>) {
  if (prompt !== undefined)
    return { filename: prompt, revision: prompt_revision, version: numberIn(prompt_version) };
  const [name] = Object.entries({ prompt_revision, prompt_version }).find(([, value]) => value) ?? [];
  if (name) throw new SkeinError('INVALID_REQUEST', { detail: `${name}: only allowed together with prompt` });
  return undefined;
}

function numberIn(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
