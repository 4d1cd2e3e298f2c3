/**
 * The settings that every workflow has. The registry validates the workflow's other settings against the workflow's own schema.
 */
import { type Static, Type } from '@sinclair/typebox';

export const WorkflowSettings = Type.Object(
  {
    prompt_revision: Type.String({
      default: 'default',
      pattern: '^(?!.*\\.\\.)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
      expected: 'a revision: 1 to 64 letters, digits, dots, hyphens or underscores',
      description: 'The revision whose prompt files are used; files it lacks come from `default`.',
    }),
    model: Type.Optional(
      Type.String({ minLength: 1, description: 'The listed chat model to use; unset: the first one.' }),
    ),
    temperature: Type.Optional(
      Type.Number({ minimum: 0, maximum: 2, description: "Sampling temperature; unset: the model's own." }),
    ),
    run_seconds: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 86_400,
        description: 'Timeout of a run in seconds, instead of `limits.run_seconds`.',
      }),
    ),
    followup_questions: Type.Boolean({
      default: false,
      description: 'Suggests questions that the user might ask next.',
    }),
    replaces_core: Type.Boolean({
      default: false,
      description: "The project's workflow of this name replaces the core's.",
    }),
  },
  { additionalProperties: true, default: {}, description: 'The settings of one workflow.' },
);

export type WorkflowSettings = Static<typeof WorkflowSettings>;
