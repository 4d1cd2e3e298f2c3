/** The task `classification`: category, topic, sentiment, confidence and the reasons, by word lists. */

import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { quoted } from '../language/text.ts';
import { topic } from '../language/topic.ts';
import { type ChatRequest, lastUserText, systemTexts } from '../request.ts';
import { type Choice, choose } from './categories.ts';
import type { Category } from './category-clues.ts';
import { type Sentiment, sentiment } from './sentiment.ts';

/** A closed set of names, in the form of JSON Schema or of TypeBox. */
const Names = Type.Union([
  Type.Object({ enum: Type.Array(Type.String(), { minItems: 1 }) }),
  Type.Object({ anyOf: Type.Array(Type.Object({ const: Type.String() }), { minItems: 1 }) }),
]);

const ClassificationSchema = Type.Object({
  properties: Type.Object(
    {
      category: Names,
      topic: Type.Unknown(),
      sentiment: Type.Unknown(),
      confidence: Type.Unknown(),
      explanation: Type.Unknown(),
    },
    { additionalProperties: false },
  ),
});

/** The classification of the last user message, as JSON; undefined if the schema isn't that of a classification. */
export function classify(request: ChatRequest): string | undefined {
  if (!Value.Check(ClassificationSchema, request.schema)) return undefined;
  const allowed = request.schema.properties.category;
  const names = 'enum' in allowed ? allowed.enum : allowed.anyOf.map((option) => option.const);
  const text = lastUserText(request);
  const tone = sentiment(text);
  const choice = choose(text, describedCategories(names, systemTexts(request)), tone);
  return JSON.stringify({
    category: choice.category,
    topic: topic(text),
    sentiment: { label: tone.label, score: tone.score },
    confidence: choice.confidence,
    explanation: explanation(choice, tone),
  });
}

/** The categories with their descriptions, from the lines `- name: description` of the system message. */
function describedCategories(names: string[], systems: string[]): Category[] {
  const descriptions = new Map<string, string>();
  for (const line of systems.flatMap((text) => text.split('\n'))) {
    const colon = line.indexOf(':');
    const item = line.slice(0, Math.max(0, colon)).trim();
    if (/^[-*]/.test(item)) descriptions.set(item.replace(/[-*`"\s]+|[`"*]+$/g, ''), line.slice(colon + 1));
  }
  return names.map((name) => ({ name, description: descriptions.get(name) ?? '' }));
}

function explanation({ category, evidence }: Choice, tone: Sentiment): string {
  const name = category.replace(/[_-]+/g, ' ');
  const isPlural = evidence.length > 1 || evidence.some((words) => words.includes(' '));
  const decided =
    evidence.length === 0
      ? `No word of the message points to one of the other categories, so it counts as ${name}`
      : `The ${isPlural ? 'words' : 'word'} ${quoted(evidence)} ${isPlural ? 'point' : 'points'} to ${name}`;
  const heard = tone.words.slice(0, 3);
  return heard.length === 0
    ? `${decided}; the tone is ${tone.label}.`
    : `${decided}; the tone is ${tone.label} because of ${quoted(heard)}.`;
}
