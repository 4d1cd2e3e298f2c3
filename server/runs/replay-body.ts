/** The request schema of a replay: a model call and the number of repeats. */
import { Type } from '@sinclair/typebox';
import { callFields } from '../../runtime/replays/call-request.ts';

export const ReplayBody = Type.Object(
  {
    ...callFields,
    n: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10, description: 'How many times to send the call (default: 1)' }),
    ),
  },
  { title: 'ReplayRequest', additionalProperties: true },
);
