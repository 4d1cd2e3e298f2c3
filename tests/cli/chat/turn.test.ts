/** A turn on a terminal, from its events. */
import { expect, test } from 'bun:test';
import { showTurn } from '../../../cli/commands/chat/turn/turn.ts';
import { styleFor } from '../../../cli/terminal/style.ts';
import type { RunStreamEvent } from '../../../client/client.ts';

const RESPONSE = {
  ...{ thread_id: 't', message_id: 'm', run_id: 'r', workflow: 'w', topic: null, event_type: null },
  ...{ agent_response: 'Pads.', memory_summary: '', token_count: 12, model: 'm1', interrupt: null },
  ...{ interrupts: [], stopped_at: [], values: null },
  outputs: [{ agent: 'a', content: 'Pads.', data: null }],
  followup_questions: { 1: 'Which pads?', 2: 'Why\u001b[2J so?' },
};

test('the answer is followed by its time and usage and by the follow-up questions', async () => {
  async function* events(): AsyncGenerator<RunStreamEvent> {
    yield { id: 1, event: 'token', data: { agent: 'a', text: 'Pads.' } };
    yield { id: 2, event: 'response', data: RESPONSE };
    yield { id: 3, event: 'end', data: {} };
  }
  let text = '';
  const end = await showTurn(events(), { write: (piece) => (text += piece), style: styleFor({}, {}) });
  expect(text).toBe('a:\nPads.\n12 tokens, m1\n  next? Which pads?\n  next? Why\\u{1b}[2J so?\n');
  expect(end.failed).toBe(false);
});

test('each tool call is a line with its input and output; so is each custom event of a graph', async () => {
  const call = { agent: 'tools', tool: 'find', tool_call_id: 'c1' };
  async function* events(): AsyncGenerator<RunStreamEvent> {
    yield { id: 1, event: 'tool', data: { ...call, state: 'started', input: { text: 'a\u001b[2J' } } };
    yield { id: 2, event: 'tool', data: { ...call, tool_call_id: 'c2', state: 'started', input: { n: 2 } } };
    yield { id: 3, event: 'custom', data: { agent: 'tools', data: { words: ['x'.repeat(200)] } } };
    yield {
      id: 4,
      event: 'tool',
      data: { ...call, tool_call_id: 'c2', state: 'failed', error: 'No such\nthing', duration_ms: 1_234 },
    };
    yield {
      id: 5,
      event: 'tool',
      data: { ...call, state: 'finished', output: 'one\n  two', duration_ms: 40 },
    };
    yield { id: 6, event: 'response', data: RESPONSE };
  }
  let text = '';
  await showTurn(events(), { write: (piece) => (text += piece), style: styleFor({}, {}) });
  const [custom, failed, finished] = text.split('\n');
  expect(custom).toBe(`  tools: {"words":["${'x'.repeat(89)}…`);
  expect(failed).toBe('  ✗ find {"n":2}: No such thing (1.2 s)');
  expect(finished).toBe('  ✓ find {"text":"a\\u001b[2J"} → one two (0.0 s)');
});

test('the question for which the thread waits is shown at the end', async () => {
  const interrupts = [{ interrupt_id: 'i', value: 1, agent: 'a', path: [] }];
  async function* events(): AsyncGenerator<RunStreamEvent> {
    yield { id: 1, event: 'response', data: { ...RESPONSE, interrupts } };
  }
  const { waiting } = await showTurn(events(), { write: () => {}, style: styleFor({}, {}) });
  expect(waiting).toMatchObject({ interrupts, stopped_at: [] });
});
