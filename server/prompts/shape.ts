/** The schemas of the prompts endpoints. */
import { Type } from '@sinclair/typebox';
import { MAX_PROMPT_BYTES } from '../../prompts/store.ts';

/** A template. The limit is only `documented`, because the prompt store rejects larger ones with its own error code. */
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
        { description: 'Where the files are stored' },
      ),
    }),
  ),
});

const Nullable = Type.Union([Type.String(), Type.Null()]);

export const History = Type.Object({
  versions: Type.Array(
    Type.Object({
      version: Type.Integer({ description: 'Starts at 1. Version 0 is the shipped file' }),
      created_at: Nullable,
      author: Nullable,
      size: Type.Integer({ description: 'Bytes' }),
    }),
    { description: 'Newest first' },
  ),
});

/** The error of a turn: the fields of an error body without those that identify a request. */
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
        after: Type.String({ description: 'The answer with the new text. Empty without an answer' }),
        token_count: Type.Integer({ description: 'Tokens of the new answer' }),
        interrupt: Type.Unknown({ description: 'The question to a person, or null' }),
        error: Type.Union([TurnError, Type.Null()], { description: 'The error with the new text, or null' }),
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
