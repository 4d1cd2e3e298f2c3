/** The model call of a case: the request, and the prompt files that rendered parts of its messages. */
import { type Static, Type } from '@sinclair/typebox';
import { callFields } from '../replays/call-request.ts';

const CallPrompt = Type.Object(
  {
    filename: Type.String({ minLength: 1, maxLength: 300, description: 'The file.' }),
    revision_id: Type.String({ minLength: 1, maxLength: 200, description: 'The revision of the file.' }),
    message: Type.Integer({
      minimum: 0,
      description: 'The index of the message whose part it rendered, from 0.',
    }),
    start: Type.Integer({ minimum: 0, description: 'Where the part begins in the content.' }),
    end: Type.Integer({ minimum: 0, description: 'Where the part ends (exclusive).' }),
    variables: Type.Record(Type.String(), Type.Unknown(), { description: 'The variables of the rendering.' }),
  },
  { additionalProperties: false, title: 'CallPrompt' },
);

export const callCaseFields = {
  ...callFields,
  prompts: Type.Optional(
    Type.Array(CallPrompt, {
      maxItems: 100,
      description: 'Prompt files, whose current text replaces a part of a message in each run',
    }),
  ),
};

const Call = Type.Object(callCaseFields, {
  additionalProperties: false,
  title: 'CaseCall',
  description: 'A model call in place of a prompt. It is sent to a model without running a workflow.',
});
export type CaseCall = Static<typeof Call>;

// Elysia's type inference loses the fields of this nested schema, so its type is stated explicitly.
export const CaseCall = Type.Unsafe<CaseCall>(Call);
