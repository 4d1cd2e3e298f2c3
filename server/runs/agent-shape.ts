/** The wire schema of an agent's execution in a run: its times, prompts, model calls, steps and tools. */
import { Type } from '@sinclair/typebox';
import { Cost, UsageBody } from '../http/schemas/usage-schema.ts';

const Started = Type.String({ format: 'date-time', description: 'When it started' });
const Duration = Type.Union([Type.Number(), Type.Null()], { description: 'Null until it ends' });

export const PromptUse = Type.Object(
  {
    filename: Type.String({ description: 'The name of the prompt file' }),
    revision_id: Type.String({
      description: 'The revision that contains the file, which may be the fallback',
    }),
    version: Type.Union([Type.Integer(), Type.Null()], {
      description: 'From 1. 0 is the shipped file; null if the history cannot be read',
    }),
    sha256: Type.String({ description: "The file's SHA-256 in hexadecimal" }),
  },
  { title: 'PromptUse' },
);

/** The fields of a model call, without its content. */
export const callFields = {
  model: Type.String({ description: 'The model that answered, otherwise the first one that was called' }),
  task: Type.String({ description: 'answer, or the name of the structured output' }),
  started_at: Started,
  duration_ms: Type.Number({ description: 'Its duration, with all attempts' }),
  error_code: Type.Optional(Type.String({ description: 'Why the call failed' })),
  error_detail: Type.Optional(
    Type.String({ description: "Details of the error, such as the provider's message without keys" }),
  ),
};

const ModelCall = Type.Object(
  {
    ...callFields,
    step: Type.Optional(Type.String({ description: "The agent's step that made the call" })),
    first_token_ms: Type.Union([Type.Number(), Type.Null()], {
      description: 'Time from the start of the call to the first text. Null without text',
    }),
    attempt: Type.Integer({ description: 'The number of requests to providers' }),
    input_tokens: Type.Integer({ description: 'Tokens of all attempts' }),
    output_tokens: Type.Integer({ description: 'Tokens of all attempts' }),
    cost: Cost,
  },
  { title: 'ModelCall' },
);

const State = Type.Union([Type.Literal('started'), Type.Literal('finished'), Type.Literal('failed')], {
  description: 'started: running, or waiting for a person',
});

const cause = {
  task_id: Type.Optional(
    Type.String({ description: "LangGraph's id of the task. Omitted for runs of earlier versions" }),
  ),
  from: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'The ids of the tasks that triggered it, __start__ for the start of the graph. Omitted if unknown',
    }),
  ),
};

const Step = Type.Object(
  {
    step: Type.String({ description: 'The name of the step' }),
    ...cause,
    state: State,
    started_at: Started,
    duration_ms: Duration,
  },
  { title: 'Step' },
);

const Tool = Type.Object(
  {
    tool: Type.String({ description: 'The name of the tool' }),
    tool_call_id: Type.Union([Type.String(), Type.Null()], {
      description: "The model's id of the call",
    }),
    state: State,
    started_at: Started,
    duration_ms: Duration,
    error: Type.Optional(Type.String({ description: 'Why the tool failed' })),
  },
  { title: 'ToolCall', description: "Arguments and results are in the run's events" },
);

export const AgentEntry = Type.Object(
  {
    agent: Type.String({ description: 'The name of the agent' }),
    path: Type.Array(Type.String(), {
      description: 'The nodes whose subgraphs contain it, outermost first. [] in the root graph',
    }),
    execution: Type.Integer({ description: 'The number of its execution in the graph, from 1' }),
    ...cause,
    parent_task_id: Type.Optional(
      Type.String({ description: 'The task whose subgraph contains it. Omitted in the root graph' }),
    ),
    state: State,
    error_code: Type.Optional(Type.String({ description: 'Why the agent failed' })),
    started_at: Started,
    duration_ms: Duration,
    usage: UsageBody,
    prompts: Type.Array(PromptUse, { description: 'The prompt files that it rendered, without duplicates' }),
    calls: Type.Array(ModelCall, { description: 'Its model calls' }),
    steps: Type.Array(Step, { description: 'Its steps, if it reports any' }),
    tools: Type.Array(Tool, { description: 'The tools that it called' }),
  },
  { title: 'AgentEntry' },
);
