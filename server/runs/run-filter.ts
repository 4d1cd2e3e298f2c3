/** What narrows the list of runs, as its query has it. */
import { type Static, Type } from '@sinclair/typebox';
import { workflowName } from '../../runtime/workflows/workflow-name.ts';
import type { RunFilter } from '../../state/archive.ts';
import { SkeinError } from '../../state/errors.ts';
import { timeIn, timeParameter } from '../http/time-query.ts';
import { RunStatus } from './shape.ts';

const Count = (pattern: string, description: string) => Type.Optional(Type.String({ pattern, description }));

// Strings, as query parameters are; an invalid value is rejected with the parameter's name.
const INTEGER = '^[0-9]{1,12}$';
const AMOUNT = '^[0-9]{1,12}([.][0-9]{1,12})?$';

export const runFilterQuery = {
  workflow: Type.Optional(Type.String({ maxLength: 200, description: 'The name of a workflow' })),
  status: Type.Optional(RunStatus),
  from: timeParameter('runs accepted at this time or later'),
  to: timeParameter('runs accepted before this time'),
  min_duration_ms: Count(INTEGER, 'an integer: finished runs that took at least this long from start to end'),
  min_tokens: Count(
    INTEGER,
    'an integer: runs that used at least this many tokens, input and output together',
  ),
  min_cost: Count(
    AMOUNT,
    'a number as in 0.25: runs that cost at least this much, in the currency of the prices',
  ),
  error_code: Type.Optional(
    Type.String({
      pattern: '^[A-Z_]{1,60}$',
      description: 'runs that failed with this code, as in RUN_TIMEOUT',
    }),
  ),
  prompt: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 300,
      description: 'Runs that rendered the prompt file of this name',
    }),
  ),
  prompt_revision: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'The revision that the file came from' }),
  ),
  prompt_version: Count(INTEGER, "an integer: the file's version; 0 is the shipped file"),
  feedback: Type.Optional(
    Type.Union([Type.Literal('positive'), Type.Literal('negative')], {
      description: 'Runs whose answer got this feedback',
    }),
  ),
};

const RunFilterQuery = Type.Object(runFilterQuery);

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
  const [lonely] = Object.entries({ prompt_revision, prompt_version }).find(([, value]) => value) ?? [];
  if (lonely) throw new SkeinError('INVALID_REQUEST', { detail: `${lonely}: expected together with prompt` });
  return undefined;
}

function numberIn(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
