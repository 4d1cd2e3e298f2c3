/** The shapes of the prompts endpoints. */
import { Type } from '@sinclair/typebox';

export const RevisionParams = Type.Object({ revision_id: Type.String() });
export const PromptParams = Type.Object({ revision_id: Type.String(), filename: Type.String() });

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
          Type.Literal('shipped+local'),
          Type.Literal('shipped+azure'),
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

export const Updated = Type.Object({
  message: Type.String(),
  filename: Type.String(),
  revision_id: Type.String(),
  version: Type.Integer(),
});
