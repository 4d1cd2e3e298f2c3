/** The contract of full-text search. A driver's test calls it with a function that opens an empty state. */
import { expect, test } from 'bun:test';
import { MAX_SCANNED_RUNS } from '../../state/driver/run-bounds.ts';
import type { OpenedState } from '../../state/opened-state.ts';
import type { SearchQuery } from '../../state/search/search.ts';
import { searchWords } from '../../state/search/words.ts';
import type { AgentReport } from '../../state/threads/run-trace.ts';
import type { RunUsage } from '../../state/threads/runs.ts';
import { failedEnd, storedTurn } from './turn.ts';

// Together with the question and the error, the maximum number of texts of a run.
const CALLS = 48;

/** A run with a number of tool calls. */
async function calling(state: OpenedState, workflow: string): Promise<void> {
  const turn = await storedTurn(state, { prompt: 'Ask.', ends: 'accepted', workflow });
  const entries = Array.from({ length: CALLS }, (_, call) => ({
    ...({ node: 'a', kind: 'tool', at: 1 } as const),
    body: { tool: 'gear', tool_call_id: `${call}`, state: 'started', input: { call } } as const,
  }));
  const events = [{ first: 1, last: CALLS, chat: { first: 1, last: CALLS }, entries }];
  await state.coordination.end(turn.lease, { ...failedEnd(turn), events }, false);
}

export function searchContract(
  open: () => Promise<{ state: OpenedState; close: () => Promise<void> }>,
): void {
  async function opened(use: (state: OpenedState) => Promise<void>): Promise<void> {
    const { state, close } = await open();
    try {
      await use(state);
    } finally {
      await close();
    }
  }

  const found = async (state: OpenedState, query: string, filter: Partial<SearchQuery> = {}) => {
    while ((await state.search.add(2)) > 0);
    const { items } = await state.search.find(
      { owner: 'ann', words: searchWords(query), ...filter },
      { limit: 100 },
    );
    return items.map(({ kind, text }) => `${kind} ${text}`);
  };

  test('finds questions, answers and outputs that contain all words, newest first', () =>
    opened(async (state) => {
      await storedTurn(state, { prompt: 'Wie groß ist der Rahmen?', at: 1 });
      await storedTurn(state, { prompt: 'How big is the frame_size of CAFÉ-Racer 2?', at: 2 });
      expect(await found(state, 'frame')).toEqual([
        'answer re: How big is the frame_size of CAFÉ-Racer 2?',
        'question How big is the frame_size of CAFÉ-Racer 2?',
      ]);
      expect(await found(state, 'RAHMEN gross')).toEqual([]);
      expect(await found(state, 'rahmen groß', { kind: 'question' })).toEqual([
        'question Wie groß ist der Rahmen?',
      ]);
      for (const query of ['cafe', 'café racer', '"frame size of"', 'frame_size', 'rac*', 'café-racer 2'])
        expect([query, await found(state, query, { kind: 'question' })]).toEqual([
          query,
          ['question How big is the frame_size of CAFÉ-Racer 2?'],
        ]);
      for (const query of ['"size frame"', 'fram', '"fram"*', 'racer 3'])
        expect([query, await found(state, query)]).toEqual([query, []]);
    }));

  test('finds words in scripts without spaces', () =>
    opened(async (state) => {
      await storedTurn(state, { prompt: '東京の天気はどうですか' });
      await storedTurn(state, { prompt: 'Какая погода в Москве?' });
      expect(await found(state, '天気', { kind: 'question' })).toEqual(['question 東京の天気はどうですか']);
      expect(await found(state, '気天')).toEqual([]);
      expect(await found(state, 'МОСКВЕ', { kind: 'question' })).toEqual(['question Какая погода в Москве?']);
    }));

  test('finds errors and tool calls', () =>
    opened(async (state) => {
      const turn = await storedTurn(state, { prompt: 'Ask.', ends: 'accepted' });
      const call = { node: 'a', kind: 'tool', at: 1 } as const;
      await state.coordination.end(
        turn.lease,
        {
          ...failedEnd(turn),
          events: [
            {
              ...{ first: 1, last: 2, chat: { first: 1, last: 2 } },
              entries: [
                {
                  ...call,
                  body: { tool: 'lookup', tool_call_id: '1', state: 'started', input: { city: 'Ulm' } },
                },
                {
                  ...call,
                  body: { tool: 'lookup', tool_call_id: '1', state: 'finished', output: 'Münster' },
                },
              ],
            },
          ],
        },
        false,
      );
      expect(await found(state, 'internal_error')).toHaveLength(1);
      expect(await found(state, 'ulm munster lookup')).toEqual(['tool_call lookup\n{"city":"Ulm"}\nMünster']);
    }));

  test('a caller only finds their own runs; a search over all owners finds all', () =>
    opened(async (state) => {
      await storedTurn(state, { prompt: 'pump', workflow: 'sales', at: 10 });
      await storedTurn(state, { prompt: 'pump', owner: 'bob', ends: 'failed', at: 20 });
      const questions = (filter: Partial<SearchQuery>) =>
        found(state, 'pump', { kind: 'question', ...filter });
      expect(await questions({})).toHaveLength(1);
      expect(await questions({ owner: 'eve' })).toEqual([]);
      expect(await questions({ owner: null })).toHaveLength(2);
      expect(await questions({ owner: null, workflow: 'sales' })).toHaveLength(1);
      expect(await questions({ owner: null, status: 'failed' })).toHaveLength(1);
      expect(await questions({ owner: null, from: 11 })).toHaveLength(1);
      expect(await questions({ owner: null, until: 20 })).toHaveLength(1);
      expect(await questions({ owner: null, from: 10, until: 21 })).toHaveLength(2);
    }));

  test('filters texts by duration, tokens, cost, error, prompt file and feedback of their run', () =>
    opened(async (state) => {
      const usage = (inputTokens: number, cost: number): RunUsage => ({
        ...{ inputTokens, outputTokens: 5, cost },
        models: new Map([['m', { inputTokens, outputTokens: 5, cost }]]),
      });
      const prompt = { filename: 'w.a.jinja', revision_id: 'default', version: 2, sha256: 'x' };
      const agents: AgentReport[] = [
        {
          ...{ agent: 'a', path: [], execution: 1, startedAt: 1, durationMs: 1, state: 'finished' },
          ...{ prompts: [prompt], calls: [], steps: [], tools: [] },
        },
      ];
      await storedTurn(state, { prompt: 'pump 0', ends: 'failed', usage: usage(10, 0.2) });
      const slow = await storedTurn(state, { prompt: 'pump 1', tookMs: 5_000, usage: usage(100, 1), agents });
      await state.feedback.put({
        ...{ message_id: slow.run.messageId, thread_id: 't', user_id: null },
        ...{ positive_feedback: false, rating: null, comment: null, tags: [], updated_at: '' },
      });
      for (const [filter, numbers] of [
        [{ minDurationMs: 5_000 }, [1]],
        [{ minDurationMs: 5_001 }, []],
        [{ minTokens: 15 }, [1, 0]],
        [{ minTokens: 16 }, [1]],
        [{ minCost: 0.3 }, [1]],
        [{ errorCode: 'INTERNAL_ERROR' }, [0]],
        [{ errorCode: 'RUN_TIMEOUT' }, []],
        [{ prompt: { filename: 'w.a.jinja', version: 2 } }, [1]],
        [{ prompt: { filename: 'w.a.jinja', version: 1 } }, []],
        [{ feedback: 'negative' }, [1]],
        [{ feedback: 'positive' }, []],
        [{ status: 'succeeded', minTokens: 1, feedback: 'negative' }, [1]],
      ] as [Partial<SearchQuery>, number[]][])
        for (const owner of ['ann', null]) {
          const texts = await found(state, 'pump', { kind: 'question', ...filter, owner });
          expect([filter, texts]).toEqual([filter, numbers.map((number) => `question pump ${number}`)]);
        }
    }));

  test(
    'a filtered page scans a limited number of texts, and its cursor leads to older ones',
    () =>
      opened(async (state) => {
        const turns = Math.ceil(MAX_SCANNED_RUNS / CALLS) + 1;
        for (let turn = 0; turn < turns; turn++) await calling(state, turn === 0 ? 'rare' : 'w');
        while ((await state.search.add(20)) > 0);
        const query = { owner: 'ann', words: searchWords('gear'), workflow: 'rare' };
        const first = await state.search.find(query, { limit: 100 });
        expect(first.items).toEqual([]);
        const [position] = (first.next ?? []) as [number];
        const second = await state.search.find(query, { limit: 100, after: [position] });
        expect([second.items.length, second.next]).toEqual([CALLS, null]);
        const unfiltered = await state.search.find({ ...query, workflow: undefined }, { limit: 1 });
        expect(unfiltered.items).toHaveLength(1);
      }),
    60_000,
  );

  test('returns hits in pages; unfinished runs have none', () =>
    opened(async (state) => {
      for (const number of [1, 2, 3]) await storedTurn(state, { prompt: `pump ${number}` });
      await storedTurn(state, { prompt: 'pump 4', ends: 'accepted' });
      while ((await state.search.add(100)) > 0);
      const query = { owner: 'ann', words: searchWords('pump'), kind: 'question' } as const;
      const first = await state.search.find(query, { limit: 2 });
      const [position] = (first.next ?? []) as [number];
      const second = await state.search.find(query, { limit: 2, after: [position] });
      expect([...first.items, ...second.items].map(({ text }) => text)).toEqual([
        'pump 3',
        'pump 2',
        'pump 1',
      ]);
      expect(second.next).toBeNull();
      expect(await state.search.add(100)).toBe(0);
    }));

  test('does not find a deleted thread', () =>
    opened(async (state) => {
      const { thread } = await storedTurn(state, { prompt: 'secretword' });
      expect(await found(state, 'secretword')).toHaveLength(2);
      await state.archive.removal.thread(thread.key);
      expect(await found(state, 'secretword', { owner: null })).toEqual([]);
    }));
}
