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
      revision_id: Type.String({ description: 'The name of the revision' }),
      files: Type.Integer({ description: 'The number of its prompt files' }),
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
    { description: 'All revisions' },
  ),
});

const Nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const History = Type.Object({
  versions: Type.Array(
    Type.Object({
      version: Type.Integer({ description: 'Starts at 1. Version 0 is the shipped file' }),
      created_at: Nullable('When it was saved. Null if unknown'),
      author: Nullable('The caller who saved it. Null if unknown'),
      size: Type.Integer({ description: 'Bytes' }),
    }),
    { description: 'Newest first' },
  ),
});

/** The error of a turn: the fields of an error body without those that identify a request. */
const TurnError = Type.Object({
  error_code: Type.String({ description: 'The stable code, for programs: see errors.md' }),
  message: Type.String({ description: 'What is wrong and what to do, in a sentence' }),
  detail: Type.Optional(Type.String({ description: 'Which field, setting or resource the error is about' })),
});

export const DryRun = Type.Object(
  {
    workflow_turns: Type.Array(
      Type.Object({
        message_id: Type.String({ description: 'The message with the stored answer' }),
        workflow: Type.String({ description: 'The workflow of the turn' }),
        user_prompt: Type.String({ description: 'The question of the turn' }),
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
  message: Type.String({ description: 'A confirmation for people' }),
  filename: Type.String({ description: 'The name of the prompt file' }),
  revision_id: Type.String({ description: 'The name of the revision' }),
  version: Type.Integer({ description: 'The number of the new version' }),
});
