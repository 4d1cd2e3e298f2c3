/** A boolean query parameter, in the forms that LangGraph's clients send. */
import { Type } from '@sinclair/typebox';

export const QueryFlag = Type.Optional(
  Type.Union([Type.Literal('true'), Type.Literal('false'), Type.Literal('1'), Type.Literal('0')]),
);

export function isTrue(flag: string | undefined): boolean {
  return flag === 'true' || flag === '1';
}
