/** The task `classification`: category, topic, sentiment, confidence and explanation of ordinary messages. */

import { describe, expect, test } from 'bun:test';
import { CATEGORIES, classificationSchema, complete, type Message, responseFormat } from '../complete.ts';
import { HELD_OUT, type Labelled, SEEN } from './labelled-messages.ts';

interface Classification {
  category: string;
  topic: string;
  sentiment: { label: string; score: number };
  confidence: number;
  explanation: string;
}

async function classify(text: string, categories = CATEGORIES, system = ''): Promise<Classification> {
  const messages: Message[] = [
    ['system', system],
    ['user', 'I want a refund!'],
    ['assistant', 'I see.'],
    ['user', text],
  ];
  return JSON.parse(
    await complete('classification', messages, responseFormat(classificationSchema(categories))),
  );
}

async function accuracy(labelled: readonly Labelled[]): Promise<number> {
  const found = await Promise.all(labelled.map(([, message]) => classify(message)));
  return found.filter(({ category }, at) => category === labelled[at]?.[0]).length / labelled.length;
}

describe('the category', () => {
  test('is right for at least 95 % of the messages that the word lists were written with', async () => {
    expect(await accuracy(SEEN)).toBeGreaterThanOrEqual(0.95);
  });

  test('is right for at least 80 % of the messages that were held out', async () => {
    expect(await accuracy(HELD_OUT)).toBeGreaterThanOrEqual(0.8);
  });

  test('is that of the last user message alone', async () => {
    expect(await classify('Which helmets do you have in blue?')).toMatchObject({
      category: 'product_inquiry',
      topic: 'helmets',
    });
  });

  test('uses the names and descriptions of custom categories', async () => {
    const system = [
      'Sort the message into one of these categories.',
      '- billing: Invoices, refunds and charges',
      '- `technical_support`: The app or website fails',
      '- sales: Prices, demos and new licences',
      '- general: anything else',
    ].join('\n');
    const own = ['billing', 'technical_support', 'sales', 'general'];
    const category = async (text: string) => (await classify(text, own, system)).category;
    expect(await category('I was charged twice on my invoice.')).toBe('billing');
    expect(await category('The app crashes on start.')).toBe('technical_support');
    expect(await category('Could I see a demo?')).toBe('sales');
    expect(await category('Lovely day.')).toBe('general');
  });

  test('is always an allowed one, even if none of them is a fallback', async () => {
    expect(['urgent', 'normal']).toContain((await classify('zzz', ['urgent', 'normal'])).category);
  });
});

describe('the sentiment', () => {
  const score = async (text: string) => (await classify(text)).sentiment;

  test('distinguishes praise, complaint and neither', async () => {
    expect(await score('I love this bike.')).toMatchObject({ label: 'positive' });
    expect(await score('The service was terrible.')).toMatchObject({ label: 'negative' });
    expect(await score('The bike has two wheels.')).toEqual({ label: 'neutral', score: 0 });
  });

  test('turns with a negation', async () => {
    expect(await score('The saddle is not good.')).toMatchObject({ label: 'negative' });
    expect(await score("The saddle isn't bad.")).toMatchObject({ label: 'positive' });
  });

  test('grows with an intensifier and with exclamation marks', async () => {
    const plain = (await score('The bike is good.')).score;
    expect((await score('The bike is very good.')).score).toBeGreaterThan(plain);
    expect((await score('The bike is good!!')).score).toBeGreaterThan(plain);
  });

  test("doesn't mistake a polite question for praise", async () => {
    expect(await score('Which bike is the best, please?')).toEqual({ label: 'neutral', score: 0 });
  });

  test('reads emoji', async () => {
    expect(await score('my order 😡')).toMatchObject({ label: 'negative' });
  });
});

describe('the explanation', () => {
  test('names the words that decided, as the message has them', async () => {
    const { explanation } = await classify('I want a refund for this terrible, broken lamp.');
    expect(explanation).toBe(
      'The words "refund" and "broken" point to support; the tone is negative because of "terrible" and "broken".',
    );
  });

  test('says so when no word decided', async () => {
    const { explanation, confidence } = await classify('qwertz');
    expect(explanation).toStartWith('No word of the message points to one of the other categories');
    expect(confidence).toBe(0.35);
  });
});

describe('the confidence', () => {
  test('is higher for a clear message than for one between two categories', async () => {
    const clear = await classify('I forgot my password and cannot log in.');
    const mixed = await classify('I want to buy a new lamp because the old one is broken.');
    expect(clear.confidence).toBeGreaterThan(mixed.confidence);
    for (const { confidence } of [clear, mixed]) {
      expect(confidence).toBeWithin(0.35, 0.951);
      expect(confidence).toBe(Math.round(confidence * 100) / 100);
    }
  });
});

describe('unusual text', () => {
  test('is other with low confidence without any evidence', async () => {
    for (const text of ['', '   ', '🙂', '???', '你好，今天天气怎么样？', 'Ich gehe heute ins Kino.']) {
      expect(await classify(text)).toMatchObject({ category: 'other', confidence: 0.35 });
    }
  });

  test('of 100,000 characters is classified by its beginning', async () => {
    const long = `My brake is broken. ${'the bike and the wheel, '.repeat(5_000)}`;
    expect(long.length).toBeGreaterThan(100_000);
    expect(await classify(long)).toMatchObject({ category: 'support' });
    for (const piece of ['a', '.', '" ', '-', 'ing ', '🙂', '\n', '\ud83d']) {
      const { topic, sentiment } = await classify(piece.repeat(100_000 / piece.length));
      expect(topic.split(' ').length).toBeLessThanOrEqual(4);
      expect(sentiment.score).toBeWithin(-1, 1.01);
    }
  });
});
