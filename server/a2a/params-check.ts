/** Checks the types of the fields of `params` that the official package converts or passes on without checking them. */
import { type TSchema, Type } from '@sinclair/typebox';
import { bodyCheck } from '../http/bodies/body-check.ts';

/** Null is the same as no value, as in the package. */
const optional = (schema: TSchema, error: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { error: `expected ${error}` }));

const Text = optional(Type.String(), 'string');
const Length = optional(Type.Integer({ minimum: 0 }), 'an integer from 0');

/** `raw`, `url` (1.0) and `file` (0.3): the package would turn any object with a `length` into that many bytes. */
const Part = Type.Object({
  ...{ text: Text, raw: Text, url: Text },
  file: Type.Optional(Type.Object({ bytes: Text, uri: Text })),
});

/** The parameters of all methods. The package and the methods check the other fields. */
const Params = Type.Object({
  ...{ historyLength: Length, pageSize: optional(Type.Integer(), 'an integer') },
  configuration: optional(
    Type.Object({ historyLength: Length }),
    'an object; its historyLength is an integer from 0',
  ),
  message: Type.Optional(
    Type.Object({ contextId: Text, taskId: Text, parts: Type.Optional(Type.Array(Part)) }),
  ),
});

/** Throws INVALID_REQUEST, which names the field. */
export const checkParams = bodyCheck(Params, 'params');
