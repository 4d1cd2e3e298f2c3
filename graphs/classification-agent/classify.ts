/** The agent that classifies: its request to the model, and the mapping of the answer to the configured categories. */
import { type Static, Type } from '@sinclair/typebox';
import type { Agent } from '../authoring/agent/agent.ts';
import type { Category, ClassificationState } from './state.ts';

/** The agent's `data`. */
interface Classification {
  category: string;
  topic: string;
  sentiment: { label: 'positive' | 'neutral' | 'negative'; score: number };
  /** From 0 to 1. */
  confidence: number;
  explanation: string;
}

export function classify(categories: Category[]): Agent<ClassificationState> {
  const schema = classificationSchema(categories);
  return async (_state, { extract, prompt }) => {
    const system = await prompt({ categories });
    const found = await extract({ name: 'classification', schema }, system);
    const data = normalised(found, categories);
    const { label, score } = data.sentiment;
    return {
      content:
        `category ${data.category} (confidence ${data.confidence}), topic "${data.topic}", ` +
        `sentiment ${label} (${score}). ${data.explanation}`,
      data,
      update: { category: data.category },
    };
  };
}

// Limited to what providers accept in strict mode: no bounds on numbers, every field required. TypeBox doesn't check
// `enum`; `normalised` maps values outside of it.
function classificationSchema(categories: Category[]) {
  const names = categories.map(({ name }) => name);
  const closed = { additionalProperties: false };
  return Type.Object(
    {
      category: Type.String({ enum: names, description: 'The one category that fits best' }),
      topic: Type.String({ description: 'What the text is about, in one to four words' }),
      sentiment: Type.Object(
        {
          label: Type.String({ enum: ['positive', 'neutral', 'negative'] }),
          score: Type.Number({ description: 'From -1 (very negative) to 1 (very positive)' }),
        },
        closed,
      ),
      confidence: Type.Number({ description: 'From 0 to 1: how sure you are of the category' }),
      explanation: Type.String({ description: 'One sentence: why this category' }),
    },
    closed,
  );
}

type Found = Static<ReturnType<typeof classificationSchema>>;

/** Only configured categories select a route, whatever the model wrote. An unknown category becomes the fallback category. */
function normalised(found: Found, categories: Category[]): Classification {
  const wanted = String(found.category)
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  const known = categories.find(({ name }) => name === wanted);
  const fallback = categories.find(({ name }) => name === 'other') ?? categories.at(-1);
  const score = within(found.sentiment.score, -1, 1);
  return {
    category: (known ?? fallback)?.name ?? wanted,
    topic: found.topic.trim(),
    sentiment: { label: labelOf(found.sentiment.label, score), score },
    confidence: known ? within(found.confidence, 0, 1) : 0,
    explanation: found.explanation.trim(),
  };
}

function labelOf(label: string, score: number): Classification['sentiment']['label'] {
  if (label === 'positive' || label === 'neutral' || label === 'negative') return label;
  if (score > 0.2) return 'positive';
  return score < -0.2 ? 'negative' : 'neutral';
}

function within(value: number, least: number, most: number): number {
  return Math.round(Math.min(most, Math.max(least, value)) * 100) / 100;
}
