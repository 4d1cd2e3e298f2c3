/** The shapes of the prompts endpoints. */
import { Type } from '@sinclair/typebox';
import { MAX_PROMPT_BYTES } from '../../prompts/store.ts';

/** A template: `documented` because a larger one has an error code of its own. */
export const PromptText = Type.String({
  documented: { maxLength: MAX_PROMPT_BYTES },
  description: 'At most 64 KiB',
});

export const Revisions = Type.Object({
  revisions: Type.Array(
    Type.Object({
      revision_id: Type.String(),
      files: Type.Integer(),
      source: Type.Union(
        [
          Type.Literal('shipped'),
          Type.Literal('local'),
          Type.Literal('azure'),
          Type.Literal('postgresql'),
          Type.Literal('shipped+local'),
          Type.Literal('shipped+azure'),
          Type.Literal('shipped+postgresql'),
        ],
        { description: 'Where its files are' },
      ),
    }),
  ),
});

const Nullable = Type.Union([Type.String(), Type.Null()]);

export const History = Type.Object({
  versions: Type.Array(
    Type.Object({
      version: Type.Integer({ description: 'Counts from 1; 0 is the shipped file' }),
      created_at: Nullable,
      author: Nullable,
      size: Type.Integer({ description: 'Bytes' }),
    }),
    { description: 'Newest first' },
  ),
});

/** As an error body has it, without what belongs to a request. */
const TurnError = Type.Object({
  error_code: Type.String(),
  message: Type.String(),
  detail: Type.Optional(Type.String()),
});

export const DryRun = Type.Object(
  {
    workflow_turns: Type.Array(
      Type.Object({
        message_id: Type.String(),
        workflow: Type.String(),
        user_prompt: Type.String(),
        before: Type.String({ description: 'The stored answer' }),
        after: Type.String({ description: 'What the new text gives; empty where it gives no answer' }),
        token_count: Type.Integer({ description: 'Of the new answer' }),
        interrupt: Type.Unknown({ description: 'What the turn asks a person; null where it asks nothing' }),
        error: Type.Union([TurnError, Type.Null()], { description: 'Why it fails with the new text' }),
      }),
      { description: 'Newest first' },
    ),
  },
  { title: 'DryRun' },
);

export const Updated = Type.Object({
  message: Type.String(),
  filename: Type.String(),
  revision_id: Type.String(),
  version: Type.Integer(),
});
