/** A turn on a terminal, from its events. */
import { expect, test } from 'bun:test';
import { showTurn } from '../../cli/commands/chat/turn.ts';
import { styleFor } from '../../cli/terminal/style.ts';
import type { RunStreamEvent } from '../../client/client.ts';

const RESPONSE = {
  ...{ thread_id: 't', message_id: 'm', run_id: 'r', workflow: 'w', topic: null, event_type: null },
  ...{ agent_response: 'Pads.', memory_summary: '', token_count: 12, model: 'm1', interrupt: null },
  ...{ interrupts: [], stopped_at: [], values: null },
  outputs: [{ agent: 'a', content: 'Pads.', data: null }],
  followup_questions: { 1: 'Which pads?', 2: 'Why\u001b[2J so?' },
};

test('the answer is followed by what it took and by what one may ask next', async () => {
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
