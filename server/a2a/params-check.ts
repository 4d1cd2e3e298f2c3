/** Checks the types of a message's fields, which the official package converts or passes on without checking them. */
import { Type } from '@sinclair/typebox';
import { bodyCheck } from '../http/bodies/body-check.ts';

const OptionalText = Type.Optional(Type.Union([Type.String(), Type.Null()], { error: 'expected string' }));

/** `raw`, `url` (1.0) and `file` (0.3): the package would turn any object with a `length` into that many bytes. */
const Part = Type.Object({
  ...{ text: OptionalText, raw: OptionalText, url: OptionalText },
  file: Type.Optional(Type.Object({ bytes: OptionalText, uri: OptionalText })),
});

const Length = Type.Optional(
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { error: 'expected an integer from 0' }),
);

/** The parameters of all methods. The package and the methods check the other fields. */
const Params = Type.Object({
  historyLength: Length,
  configuration: Type.Optional(
    Type.Union([Type.Object({ historyLength: Length }), Type.Null()], {
      error: 'expected an object; its historyLength is an integer from 0',
    }),
  ),
  message: Type.Optional(
    Type.Object({ contextId: OptionalText, taskId: OptionalText, parts: Type.Optional(Type.Array(Part)) }),
  ),
});

/** Throws INVALID_REQUEST, which names the field. */
export const checkParams = bodyCheck(Params, 'params');
