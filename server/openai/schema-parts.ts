/** Helpers for the schemas of OpenAI's API. */
import { type TLiteral, type TSchema, type TUnion, Type } from '@sinclair/typebox';

/** A field that may be missing or null, because OpenAI's clients send either. */
export const optional = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

export const literals = <const Names extends string[]>(...names: Names) =>
  Type.Union(names.map((name) => Type.Literal(name))) as TUnion<{
    -readonly [Index in keyof Names]: TLiteral<Names[Index]>;
  }>;
