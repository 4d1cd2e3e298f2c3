/** What a replay sends: a model call, and how often. */
import { Type } from '@sinclair/typebox';
import { callFields } from '../../runtime/replays/call-request.ts';

export const ReplayBody = Type.Object(
  {
    ...callFields,
    n: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10, description: 'How often it is sent (default: 1)' }),
    ),
  },
  { title: 'ReplayRequest', additionalProperties: true },
);
