/** An agent's part in a run as the wire has it: its time, its prompts, its model calls and its steps. */
import { Type } from '@sinclair/typebox';
import { Cost, UsageBody } from '../http/usage-schema.ts';

const Time = Type.String({ format: 'date-time' });
const Duration = Type.Union([Type.Number(), Type.Null()], { description: 'Null while it goes on' });

export const PromptUse = Type.Object(
  {
    filename: Type.String(),
    revision_id: Type.String({ description: 'The revision that has the file, which may be the fallback' }),
    version: Type.Union([Type.Integer(), Type.Null()], {
      description: 'From 1; 0 is the shipped file; null where its history cannot be read',
    }),
    sha256: Type.String({ description: 'Of the file, in hex' }),
  },
  { title: 'PromptUse' },
);

/** What is known of a model call without its contents. */
export const callFields = {
  model: Type.String({ description: 'The one that answered, else the one that was asked first' }),
  task: Type.String({ description: 'answer, or the name of the shape that was asked for' }),
  started_at: Time,
  duration_ms: Type.Number(),
  error_code: Type.Optional(Type.String({ description: 'Why it gave nothing' })),
  error_detail: Type.Optional(
    Type.String({ description: "More of it, such as the provider's own message without keys" }),
  ),
};

const ModelCall = Type.Object(
  {
    ...callFields,
    step: Type.Optional(Type.String()),
    first_token_ms: Type.Union([Type.Number(), Type.Null()], {
      description: 'From the start of the call; null where no text came',
    }),
    attempt: Type.Integer({ description: 'How many times a provider was asked' }),
    input_tokens: Type.Integer({ description: 'Of all attempts' }),
    output_tokens: Type.Integer({ description: 'Of all attempts' }),
    cost: Cost,
  },
  { title: 'ModelCall' },
);

const State = Type.Union([Type.Literal('started'), Type.Literal('finished'), Type.Literal('failed')], {
  description: 'started: it goes on, or waits for a person',
});

const cause = {
  task_id: Type.Optional(
    Type.String({ description: "LangGraph's id of its task; runs of earlier versions lack it" }),
  ),
  from: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'The ids of the tasks that led to it, __start__ for the start of its graph; absent where that is not known',
    }),
  ),
};

const Step = Type.Object(
  { step: Type.String(), ...cause, state: State, started_at: Time, duration_ms: Duration },
  { title: 'Step' },
);

const Tool = Type.Object(
  {
    tool: Type.String(),
    tool_call_id: Type.Union([Type.String(), Type.Null()], {
      description: 'As the model has named the call',
    }),
    state: State,
    started_at: Time,
    duration_ms: Duration,
    error: Type.Optional(Type.String({ description: 'Why it failed' })),
  },
  { title: 'ToolCall', description: "What it was given and gave stands in the run's events" },
);

export const AgentEntry = Type.Object(
  {
    agent: Type.String(),
    path: Type.Array(Type.String(), { description: 'The nodes whose graphs it is in; [] at the root' }),
    execution: Type.Integer({ description: '1, 2, ... for each time that it runs in its graph' }),
    ...cause,
    parent_task_id: Type.Optional(
      Type.String({ description: 'The task in whose graph it is; absent at the root' }),
    ),
    state: State,
    error_code: Type.Optional(Type.String({ description: 'Why it failed' })),
    started_at: Time,
    duration_ms: Duration,
    usage: UsageBody,
    prompts: Type.Array(PromptUse, { description: 'The prompt files that it rendered, each once' }),
    calls: Type.Array(ModelCall),
    steps: Type.Array(Step, { description: 'Of an agent that works in several' }),
    tools: Type.Array(Tool, { description: 'The tools that it called' }),
  },
  { title: 'AgentEntry' },
);
