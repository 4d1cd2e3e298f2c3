/** The output of agents that answer at the same time, on a terminal. */
import { expect, test } from 'bun:test';
import { type AgentTexts, agentTexts } from '../../../cli/commands/chat/turn/agent-texts.ts';
import { styleFor } from '../../../cli/terminal/style.ts';

function outputOf(speak: (all: AgentTexts) => void): string {
  let text = '';
  speak(agentTexts({ write: (piece) => (text += piece), style: styleFor({}, {}) }));
  return text;
}

test('one agent is shown as it streams; other agents and lines wait', () => {
  const text = outputOf((all) => {
    all.note('start');
    all.say('a', 'One ');
    all.say('b', 'Uno ');
    all.note('b works');
    all.say('a', 'two.');
    all.say('b', 'dos.');
    all.pause('b');
    all.say('c', 'Un ');
    all.pause('a');
    all.say('c', 'deux.');
    all.end();
  });
  expect(text).toBe('start\na:\nOne two.\nb works\nb:\nUno dos.\nc:\nUn deux.\n');
});

test('the agent that waited longest is shown next, and all agents in the end', () => {
  const text = outputOf((all) => {
    for (const agent of ['a', 'b', 'c']) all.say(agent, `${agent} says`);
    all.pause('c');
    all.pause('a');
    all.pause('b');
    all.end();
    for (const agent of ['a', 'b', 'c']) all.settle(agent, `${agent} says`);
  });
  expect(text).toBe('a:\na says\nb:\nb says\nc:\nc says\n');
});

test('text of the response that was not streamed follows under the same name', () => {
  const text = outputOf((all) => {
    all.say('a', 'Twelve rows.');
    all.pause('a');
    all.note('done');
    all.end();
    all.settle('a', 'Twelve rows.\n\n| n |');
    all.settle('b', 'Only in the response.');
  });
  expect(text).toBe('a:\nTwelve rows.\ndone\n| n |\nb:\nOnly in the response.\n');
});

test('an agent that restarts is shown again, and its final text counts', () => {
  const text = outputOf((all) => {
    all.say('a', 'Wrong');
    all.restart('a');
    all.say('a', 'Right');
    all.end();
    all.settle('a', 'Right, and checked.');
    all.settle('c', '  \n');
  });
  expect(text).toBe('a:\nWrong\na:\nRight\n, and checked.\n');
});

test('control sequences in the text are escaped', () => {
  expect(outputOf((all) => all.say('a\u001b[2J', '\u001b]0;owned\u0007'))).toBe(
    'a\\u{1b}[2J:\n\\u{1b}]0;owned\\u{7}',
  );
});
