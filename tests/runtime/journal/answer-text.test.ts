/** The streamed text of an answer: its pieces, joined, are the answer. */
import { expect, test } from 'bun:test';
import { type AnswerSources, answerText } from '../../../runtime/journal/answer-text.ts';
import type { LogEntry, NewEntry } from '../../../state/threads/events.ts';

const entryOf = (entry: NewEntry): LogEntry => ({ at: 1, ...entry });
const taskStart = (node: string, attempt?: number, ns?: string[]) =>
  entryOf({ kind: 'task', node, taskId: node, ...(ns && { ns }), body: attempt ? { attempt } : {} });
const textEntry = (node: string, delta: string, id = node, ns?: string[]) =>
  entryOf({ kind: 'message', node, taskId: node, ...(ns && { ns }), body: { delta, id } });
const taskEnd = (node: string, response?: string) =>
  entryOf({
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
    taskStart('a'),
    textEntry('router', 'x'),
    textEntry('a', 'one '),
    textEntry('a', 'two'),
    taskEnd('a'),
  ];
  expect(pieces({ kind: 'only', agent: 'a' }, entries, 'one two')).toEqual([
    ...['', '', 'one', ' two', '', ''],
  ]);
});

test('text that a later step adds to the response follows at its end', () => {
  const entries = [taskStart('a'), textEntry('a', 'one'), taskEnd('a', 'one\n\ntwo')];
  expect(pieces({ kind: 'only', agent: 'a' }, entries, 'one\n\ntwo')).toEqual(['', 'one', '', '\n\ntwo']);
});

test('trailing white space that the response lacks is not streamed', () => {
  const entries = [taskStart('a'), textEntry('a', 'one '), taskEnd('a', 'one\n\nUncited.')];
  expect(pieces({ kind: 'only', agent: 'a' }, entries, 'one\n\nUncited.')).toEqual([
    ...['', 'one', '', '\n\nUncited.'],
  ]);
});

test('each of several agents has a block, and the second one is streamed', () => {
  const entries = [
    ...[
      taskStart('a'),
      taskEnd('a', 'support'),
      taskStart('b'),
      textEntry('b', 'Stop '),
      textEntry('b', 'it'),
      taskEnd('b'),
    ],
    ...[taskStart('c'), textEntry('c', 'Bye'), taskEnd('c', 'Bye.')],
  ];
  const answer = 'a: support\n\nb: Stop it\n\nc: Bye.';
  const texts = pieces(BLOCKS, entries, answer);
  expect(texts.slice(0, 5)).toEqual(['', '', '', 'a: support\n\nb: Stop', ' it']);
  expect(texts.join('')).toBe(answer);
});

test('the block of a single agent has no name', () => {
  expect(pieces(BLOCKS, [taskStart('a'), textEntry('a', 'Hello'), taskEnd('a')], 'Hello')).toEqual([
    '',
    '',
    '',
    'Hello',
  ]);
});

test('agents without streamed text have their blocks when the second one has finished', () => {
  const entries = [
    taskStart('a'),
    taskEnd('a', '1'),
    taskStart('b'),
    taskEnd('b', '2'),
    taskStart('c'),
    taskEnd('c', '3'),
  ];
  expect(pieces(BLOCKS, entries, 'a: 1\n\nb: 2\n\nc: 3')).toEqual([
    ...['', '', '', 'a: 1\n\nb: 2', '', '\n\nc: 3', ''],
  ]);
});

test('the order of parallel agents is only known at the end of the run', () => {
  const entries = [
    ...[
      taskStart('a'),
      taskEnd('a', '1'),
      taskStart('b'),
      taskStart('c'),
      textEntry('b', '2'),
      textEntry('c', '3'),
    ],
    ...[taskEnd('c'), taskEnd('b')],
  ];
  const answer = 'a: 1\n\nc: 3\n\nb: 2';
  expect(pieces(BLOCKS, entries, answer)).toEqual(['', '', '', '', '', '', '', '', answer]);
});

test('only nodes that can end the graph are streamed, and messages are separated by a blank line', () => {
  const entries = [
    ...[textEntry('first', 'plan'), textEntry('agent', 'Let me look.', 'm1'), taskEnd('agent')],
    ...[textEntry('agent', 'It is ', 'm2'), textEntry('agent', '5.', 'm2'), taskEnd('agent')],
  ];
  expect(pieces(LAST, entries, 'It is 5.')).toEqual([
    ...['', 'Let me look.', '', '\n\nIt is', ' 5.', '', ''],
  ]);
});

test('the path of a node includes the enclosing graph', () => {
  const namespace = ['first:1'];
  expect(pieces(LAST, [textEntry('agent', 'plan', 'm', namespace)], 'x')).toEqual(['', 'x']);
});

test('of two concurrent messages, the second begins when the first has ended', () => {
  const entries = [
    textEntry('x', 'one'),
    textEntry('y', 'tw'),
    textEntry('x', '!'),
    taskEnd('x'),
    textEntry('y', 'o'),
    taskEnd('y'),
  ];
  expect(pieces(LAST, entries, 'two')).toEqual(['one', '', '!', '\n\ntw', 'o', '', '']);
});

test('a concurrent message that ends before the first is left out', () => {
  const entries = [textEntry('x', 'one'), textEntry('y', 'two'), taskEnd('y'), taskEnd('x')];
  expect(pieces(LAST, entries, 'one')).toEqual(['one', '', '', '', '']);
});

test('streamed text that is no longer valid is kept, and the answer is repeated from the first line that differs', () => {
  const only: AnswerSources = { kind: 'only', agent: 'a' };
  const retried = [
    taskStart('a'),
    textEntry('a', 'It', 'm1'),
    taskStart('a', 2),
    textEntry('a', 'It is 5.', 'm2'),
    taskEnd('a'),
  ];
  expect(pieces(only, retried, 'It is 5.')).toEqual(['', 'It', '', '\n\nIt is 5.', '', '']);
  const changed = [
    taskStart('a'),
    textEntry('a', 'One.\nTwo.\nThree.'),
    taskEnd('a', 'One.\nTwo \u2020.\nThree.'),
  ];
  expect(pieces(only, changed, 'One.\nTwo \u2020.\nThree.').at(-1)).toBe('\n\nTwo \u2020.\nThree.');
});

test('an answer that began in an earlier run is sent at the end', () => {
  const text = answerText(BLOCKS, { resumes: true });
  expect([text.add(taskStart('b')), text.add(textEntry('b', '2')), text.add(taskEnd('b'))]).toEqual([
    '',
    '',
    '',
  ]);
  expect(text.rest('a: 1\n\nb: 2')).toBe('a: 1\n\nb: 2');
});

test('entries other than the start, the text and the end of an agent do not change its block', () => {
  const part = (entry: LogEntry) => ({ ...entry, body: { ...entry.body, part: 'step' } }) as LogEntry;
  const tool = entryOf({
    ...{ kind: 'tool', node: 'a', taskId: 'a' },
    body: { tool: 't', tool_call_id: null, state: 'started' },
  } as NewEntry);
  const entries = [
    ...[
      textEntry('a', 'early'),
      taskEnd('a', 'early'),
      taskStart('a'),
      part(taskStart('a')),
      tool,
      part(taskEnd('a', 'x')),
    ],
    ...[taskEnd('a', '1'), taskStart('b'), textEntry('b', '2'), taskEnd('b')],
  ];
  const answer = 'a: 1\n\nb: 2';
  expect(pieces(BLOCKS, entries, answer)).toEqual([
    ...['', '', '', '', '', '', '', '', 'a: 1\n\nb: 2', '', ''],
  ]);
});

test('an agent that was interrupted has no block', () => {
  const stopped = entryOf({
    ...{ kind: 'task_end', node: 'a', taskId: 'a' },
    body: { state: 'interrupted', duration_ms: 1 },
  });
  const entries = [
    taskStart('a'),
    textEntry('a', 'Which?'),
    stopped,
    taskStart('b'),
    textEntry('b', '2'),
    taskEnd('b'),
  ];
  expect(pieces(BLOCKS, entries, '2')).toEqual(['', '', '', '', '', '', '2']);
});

test('after a response that differs from its streamed text, the rest follows at the end', () => {
  const entries = [
    ...[taskStart('a'), taskEnd('a', '1'), taskStart('b'), textEntry('b', 'two'), taskEnd('b', '2')],
    ...[taskStart('c'), textEntry('c', '3'), taskEnd('c')],
  ];
  expect(pieces(BLOCKS, entries, 'a: 1\n\nb: 2\n\nc: 3')).toEqual([
    ...['', '', '', 'a: 1\n\nb: two', '', '', '', '', '\n\nb: 2\n\nc: 3'],
  ]);
});

test('the pieces of a concurrent message are kept together', () => {
  const entries = [textEntry('x', 'one'), textEntry('y', 'tw'), textEntry('y', 'o'), taskEnd('x')];
  expect(pieces(LAST, entries, 'one\n\ntwo')).toEqual(['one', '', '', '\n\ntwo', '']);
});

test('a message without a node has an empty name', () => {
  const received: string[][] = [];
  const isLast = (path: string[]) => received.push(path) > 0;
  const entry = entryOf({ kind: 'message', body: { delta: 'x', id: 'm' } });
  expect(pieces({ kind: 'last', isLast }, [entry], 'x')).toEqual(['x', '']);
  expect(received).toEqual([['']]);
});
