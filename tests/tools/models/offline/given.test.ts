/** How the offline model uses the data of a prompt: facts, texts to judge, and suggestions. */
import { expect, test } from 'bun:test';
import { factsText, suggestionsText, textsText } from '../../../../tools/models/data-blocks.ts';
import { chatBody, complete, post } from './complete.ts';

const shaped = (schema: object) => ({ response_format: { type: 'json_schema', json_schema: { schema } } });
const text = { type: 'string' };

test('an answer from facts repeats them and adds none', async () => {
  const system = `You explain.\n\n${factsText(['There are 3 stores.', 'They sold 12 bikes.'])}`;
  const answer = await complete('answer', [
    ['system', system],
    ['user', 'What is there to say?'],
  ]);
  expect(answer).toBe('There are 3 stores. They sold 12 bikes.');
});

test('many texts are judged one by one', async () => {
  const texts = [
    { n: 1, text: 'A wonderful bike, I love it!' },
    { n: 2, text: 'Terrible. It broke on the first day.' },
    { n: 3, text: 'It is a bike.' },
  ];
  const schema = { type: 'object', properties: { texts: { type: 'array' } } };
  const messages = [
    ['system', textsText(texts)],
    ['user', 'Judge the texts.'],
  ] as const;
  const values = JSON.parse(await complete('sentiments', messages, shaped(schema)));
  const [good, bad, plain] = values.texts.map(({ score }: { score: number }) => score);
  expect(values.texts.map(({ n }: { n: number }) => n)).toEqual([1, 2, 3]);
  expect([good > 0.3, bad < -0.3, plain]).toEqual([true, true, 0]);
});

test('for a schema without rules, the suggestions are used, field by field', async () => {
  const schema = {
    type: 'object',
    properties: {
      category: { type: 'string', enum: ['a', 'b'] },
      questions: { type: 'object', properties: { first: text, second: text } },
    },
  };
  const suggestions = { category: 'b', 'questions.first': 'Why?', 'questions.second': 'How?' };
  const messages = [
    ['system', suggestionsText(suggestions)],
    ['user', 'Classify.'],
  ] as const;
  expect(JSON.parse(await complete('some_shape', messages, shaped(schema)))).toEqual({
    category: 'b',
    questions: { first: 'Why?', second: 'How?' },
  });
  const refused = [
    { ...suggestions, category: 'c' },
    { category: 'a', 'questions.first': 'Why?' },
  ];
  for (const bad of refused) {
    const body = chatBody([['system', suggestionsText(bad)]], shaped(schema));
    expect((await post('some_shape', body)).status).toBe(400);
  }
  expect((await post('some_shape', chatBody([['system', 'Nothing.']], shaped(schema)))).status).toBe(400);
});
