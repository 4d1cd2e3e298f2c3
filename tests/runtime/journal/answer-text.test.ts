/** The streamed text of an answer: its pieces, joined, are the answer. */
import { expect, test } from 'bun:test';
import { type AnswerSources, answerText } from '../../../runtime/journal/answer-text.ts';
import type { LogEntry, NewEntry } from '../../../state/events.ts';

const logged = (entry: NewEntry): LogEntry => ({ at: 1, ...entry });
const starts = (node: string, attempt?: number, ns?: string[]) =>
  logged({ kind: 'task', node, taskId: node, ...(ns && { ns }), body: attempt ? { attempt } : {} });
const textEntry = (node: string, delta: string, id = node, ns?: string[]) =>
  logged({ kind: 'message', node, taskId: node, ...(ns && { ns }), body: { delta, id } });
const ends = (node: string, response?: string) =>
  logged({
    ...{ kind: 'task_end', node, taskId: node },
    body: { state: 'finished', duration_ms: 1, ...(response !== undefined && { response }) },
  });

/** The text that each entry adds, and the rest at the end. */
function pieces(sources: AnswerSources, entries: LogEntry[], answer: string): string[] {
  const text = answerText(sources);
  return [...entries.map(text.add), text.rest(answer)];
}

const BLOCKS: AnswerSources = { kind: 'blocks', agents: new Set(['a', 'b', 'c']) };
const LAST: AnswerSources = { kind: 'last', isLast: ([root]) => root !== 'first' };

test('the text of the only agent is streamed, and that of other nodes is not', () => {
  const entries = [
    starts('a'),
    textEntry('router', 'x'),
    textEntry('a', 'one '),
    textEntry('a', 'two'),
    ends('a'),
  ];
  expect(pieces({ kind: 'only', agent: 'a' }, entries, 'one two')).toEqual([
    ...['', '', 'one', ' two', '', ''],
  ]);
});

test('text that a later step adds to the response follows at its end', () => {
  const entries = [starts('a'), textEntry('a', 'one'), ends('a', 'one\n\ntwo')];
  expect(pieces({ kind: 'only', agent: 'a' }, entries, 'one\n\ntwo')).toEqual(['', 'one', '', '\n\ntwo']);
});

test('trailing white space that the response lacks is not streamed', () => {
  const entries = [starts('a'), textEntry('a', 'one '), ends('a', 'one\n\nUncited.')];
  expect(pieces({ kind: 'only', agent: 'a' }, entries, 'one\n\nUncited.')).toEqual([
    ...['', 'one', '', '\n\nUncited.'],
  ]);
});

test('each of several agents has a block, and the second one is streamed', () => {
  const entries = [
    ...[
      starts('a'),
      ends('a', 'support'),
      starts('b'),
      textEntry('b', 'Stop '),
      textEntry('b', 'it'),
      ends('b'),
    ],
    ...[starts('c'), textEntry('c', 'Bye'), ends('c', 'Bye.')],
  ];
  const answer = 'a: support\n\nb: Stop it\n\nc: Bye.';
  const texts = pieces(BLOCKS, entries, answer);
  expect(texts.slice(0, 5)).toEqual(['', '', '', 'a: support\n\nb: Stop', ' it']);
  expect(texts.join('')).toBe(answer);
});

test('the block of a single agent has no name', () => {
  expect(pieces(BLOCKS, [starts('a'), textEntry('a', 'Hello'), ends('a')], 'Hello')).toEqual([
    '',
    '',
    '',
    'Hello',
  ]);
});

test('agents without streamed text have their blocks when the second one has finished', () => {
  const entries = [starts('a'), ends('a', '1'), starts('b'), ends('b', '2'), starts('c'), ends('c', '3')];
  expect(pieces(BLOCKS, entries, 'a: 1\n\nb: 2\n\nc: 3')).toEqual([
    ...['', '', '', 'a: 1\n\nb: 2', '', '\n\nc: 3', ''],
  ]);
});

test('the order of parallel agents is known at the end', () => {
  const entries = [
    ...[starts('a'), ends('a', '1'), starts('b'), starts('c'), textEntry('b', '2'), textEntry('c', '3')],
    ...[ends('c'), ends('b')],
  ];
  const answer = 'a: 1\n\nc: 3\n\nb: 2';
  expect(pieces(BLOCKS, entries, answer)).toEqual(['', '', '', '', '', '', '', '', answer]);
});

test('only nodes that can end the graph are streamed, and messages are separated by a blank line', () => {
  const entries = [
    ...[textEntry('first', 'plan'), textEntry('agent', 'Let me look.', 'm1'), ends('agent')],
    ...[textEntry('agent', 'It is ', 'm2'), textEntry('agent', '5.', 'm2'), ends('agent')],
  ];
  expect(pieces(LAST, entries, 'It is 5.')).toEqual([
    ...['', 'Let me look.', '', '\n\nIt is', ' 5.', '', ''],
  ]);
});

test('the path of a node includes the enclosing graph', () => {
  const within = ['first:1'];
  expect(pieces(LAST, [textEntry('agent', 'plan', 'm', within)], 'x')).toEqual(['', 'x']);
});

test('of two concurrent messages, the second begins when the first has ended', () => {
  const entries = [
    textEntry('x', 'one'),
    textEntry('y', 'tw'),
    textEntry('x', '!'),
    ends('x'),
    textEntry('y', 'o'),
    ends('y'),
  ];
  expect(pieces(LAST, entries, 'two')).toEqual(['one', '', '!', '\n\ntw', 'o', '', '']);
});

test('a concurrent message that ends before the first is left out', () => {
  const entries = [textEntry('x', 'one'), textEntry('y', 'two'), ends('y'), ends('x')];
  expect(pieces(LAST, entries, 'one')).toEqual(['one', '', '', '', '']);
});

test('void text that was streamed stays, and the answer follows from the first line that differs', () => {
  const only: AnswerSources = { kind: 'only', agent: 'a' };
  const again = [
    starts('a'),
    textEntry('a', 'It', 'm1'),
    starts('a', 2),
    textEntry('a', 'It is 5.', 'm2'),
    ends('a'),
  ];
  expect(pieces(only, again, 'It is 5.')).toEqual(['', 'It', '', '\n\nIt is 5.', '', '']);
  const changed = [starts('a'), textEntry('a', 'One.\nTwo.\nThree.'), ends('a', 'One.\nTwo \u2020.\nThree.')];
  expect(pieces(only, changed, 'One.\nTwo \u2020.\nThree.').at(-1)).toBe('\n\nTwo \u2020.\nThree.');
});

test('an answer that began in an earlier run is sent at the end', () => {
  const text = answerText(BLOCKS, { resumes: true });
  expect([text.add(starts('b')), text.add(textEntry('b', '2')), text.add(ends('b'))]).toEqual(['', '', '']);
  expect(text.rest('a: 1\n\nb: 2')).toBe('a: 1\n\nb: 2');
});

test('entries of an agent that are neither its beginning, its text nor its end do not change its block', () => {
  const part = (entry: LogEntry) => ({ ...entry, body: { ...entry.body, part: 'step' } }) as LogEntry;
  const tool = logged({
    ...{ kind: 'tool', node: 'a', taskId: 'a' },
    body: { tool: 't', tool_call_id: null, state: 'started' },
  } as NewEntry);
  const entries = [
    ...[
      textEntry('a', 'early'),
      ends('a', 'early'),
      starts('a'),
      part(starts('a')),
      tool,
      part(ends('a', 'x')),
    ],
    ...[ends('a', '1'), starts('b'), textEntry('b', '2'), ends('b')],
  ];
  const answer = 'a: 1\n\nb: 2';
  expect(pieces(BLOCKS, entries, answer)).toEqual([
    ...['', '', '', '', '', '', '', '', 'a: 1\n\nb: 2', '', ''],
  ]);
});

test('an agent that was interrupted has no block', () => {
  const stopped = logged({
    ...{ kind: 'task_end', node: 'a', taskId: 'a' },
    body: { state: 'interrupted', duration_ms: 1 },
  });
  const entries = [
    starts('a'),
    textEntry('a', 'Which?'),
    stopped,
    starts('b'),
    textEntry('b', '2'),
    ends('b'),
  ];
  expect(pieces(BLOCKS, entries, '2')).toEqual(['', '', '', '', '', '', '2']);
});

test('after a response that differs from its text, the rest follows at the end', () => {
  const entries = [
    ...[starts('a'), ends('a', '1'), starts('b'), textEntry('b', 'two'), ends('b', '2')],
    ...[starts('c'), textEntry('c', '3'), ends('c')],
  ];
  expect(pieces(BLOCKS, entries, 'a: 1\n\nb: 2\n\nc: 3')).toEqual([
    ...['', '', '', 'a: 1\n\nb: two', '', '', '', '', '\n\nb: 2\n\nc: 3'],
  ]);
});

test('the pieces of a concurrent message are kept together', () => {
  const entries = [textEntry('x', 'one'), textEntry('y', 'tw'), textEntry('y', 'o'), ends('x')];
  expect(pieces(LAST, entries, 'one\n\ntwo')).toEqual(['one', '', '', '\n\ntwo', '']);
});

test('a message without a node has an empty name', () => {
  const received: string[][] = [];
  const isLast = (path: string[]) => received.push(path) > 0;
  const entry = logged({ kind: 'message', body: { delta: 'x', id: 'm' } });
  expect(pieces({ kind: 'last', isLast }, [entry], 'x')).toEqual(['x', '']);
  expect(received).toEqual([['']]);
});
