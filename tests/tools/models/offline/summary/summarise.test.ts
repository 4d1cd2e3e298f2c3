/** The task `summary`: which facts of a conversation are kept, even after many summaries. */

import { expect, test } from 'bun:test';
import { summaryText } from '../../../../../graphs/authoring/agent/conversation-messages.ts';
import { dataBlock } from '../../../../../tools/text/block.ts';
import { answerTo, complete } from '../complete.ts';

/** Each line is `user: ...` or `assistant: ...`. */
function summarise(conversation: string, earlier = ''): Promise<string> {
  const lines = conversation.split(/\n(?=user: |assistant: )/).map((line) => {
    const [speaker = '', text = ''] = line.split(/: ([\s\S]*)/);
    return `${speaker} ${JSON.stringify(text)}`;
  });
  const summary = earlier === '' ? '' : summaryText(earlier);
  return complete('summary', [
    ['system', `Condense it.\n\n${summary}\n\n${dataBlock('conversation', lines)}`],
  ]);
}

test('a summary keeps what the user said, without quotes, and leaves the assistant out', async () => {
  const conversation = [
    'user: Hi! My name is Ana. I ride a "Trek".',
    'assistant: Noted: your name is Ana.',
    'It will be remembered.',
    'user: How do I fix a flat tyre?',
  ].join('\n');
  expect(await summarise(conversation)).toBe(
    "The user said: My name is Ana. The user said: I ride a 'Trek'. The user asked: How do I fix a flat tyre?",
  );
});

test('an earlier summary comes first and is not repeated', async () => {
  const earlier = 'The user said: My name is Ana. The user said: I live in Graz.';
  expect(await summarise('user: My name is Ana.\nuser: I have two bikes.', earlier)).toBe(
    'The user said: I live in Graz. The user said: My name is Ana. The user said: I have two bikes.',
  );
});

test('sentences of a summary by a language model are not changed', async () => {
  expect(await summarise('user: I like tea.', 'The user is called Ana. She rides a Trek.')).toBe(
    'The user is called Ana. She rides a Trek. The user said: I like tea.',
  );
});

test('the name survives fifty summaries, each within 900 characters', async () => {
  let summary = await summarise('user: My name is Ana and I ride a Trek.\nassistant: Noted.');
  for (let turn = 0; turn < 50; turn++) {
    const chatter = `It was number ${turn} again today, nothing but chatter. Is ${turn} a lucky number?`;
    summary = await summarise(`user: ${chatter}\nassistant: I cannot say.`, summary);
    expect(summary.length).toBeLessThanOrEqual(900);
  }
  expect(summary).toStartWith('The user said: My name is Ana and I ride a Trek.');
  expect(summary).toContain('number 49');
  expect(summary).not.toContain('number 0 ');
});

test('the name survives newer statements about oneself', async () => {
  const statements = Array.from({ length: 80 }, (_, at) => `user: I have ${at} bikes of the kind ${at}.`);
  const summary = await summarise(['user: My name is Ana.', ...statements].join('\n'));
  expect(summary).toContain('My name is Ana.');
  expect(summary).toContain('79 bikes');
  expect(summary.length).toBeLessThanOrEqual(900);
});

test('facts of a summary can be recalled from it', async () => {
  const summary = await summarise('user: My name is Ana. My favourite colour is green.');
  const ask = (question: string) =>
    complete('answer', [
      ['system', summaryText(summary)],
      ['user', question],
    ]);
  expect(await ask('What is my name?')).toBe(await answerTo('My name is Ana.', 'What is my name?'));
  expect(await ask('What is my favorite color?')).toBe(
    'You told me earlier: "My favourite colour is green."',
  );
});

test('an empty conversation and one of 100,000 characters have a summary', async () => {
  expect(await summarise('')).toBe('The user has not told anything yet.');
  for (const piece of ['My name is Bob. ', 'word ', '\n', 'user: x\n', 'a']) {
    const summary = await summarise(`user: ${piece.repeat(100_000 / piece.length)}`);
    expect(summary.length).toBeWithin(1, 901);
  }
});
