/** The task `sentiments`: determines the sentiment of each of many texts. */
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { readTexts } from '../../data-blocks.ts';
import type { ChatRequest } from '../request.ts';
import { sentiment } from './sentiment.ts';

const SentimentsSchema = Type.Object({
  properties: Type.Object({ texts: Type.Unknown() }, { additionalProperties: false }),
});

/** `{"texts": [{"n": 1, "score": 0.6}]}`; undefined for another schema, or if no message has texts. */
export function sentiments(request: ChatRequest): string | undefined {
  if (!Value.Check(SentimentsSchema, request.schema)) return undefined;
  const texts = request.data.map(readTexts).find((found) => found !== undefined);
  return (
    texts && JSON.stringify({ texts: texts.map(({ n, text }) => ({ n, score: sentiment(text).score })) })
  );
}
