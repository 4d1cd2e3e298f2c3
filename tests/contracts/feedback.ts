/** The contract of feedback. A driver's test calls it with a function that opens an empty state. */
import { expect, test } from 'bun:test';
import type { BadAnswerFilter, State } from '../../state/state.ts';
import type { Feedback } from '../../state/threads/feedback.ts';
import { storedTurn } from './turn.ts';

export function feedbackContract(open: () => Promise<{ state: State; close: () => Promise<void> }>): void {
  async function opened(use: (state: State) => Promise<void>): Promise<void> {
    const { state, close } = await open();
    try {
      await use(state);
    } finally {
      await close();
    }
  }

  /** Feedback on a new turn. */
  async function rated(state: State, owner: string, said: Partial<Feedback>): Promise<Feedback> {
    const { run } = await storedTurn(state, { owner, threadId: owner, prompt: `Asked by ${owner}` });
    const feedback: Feedback = {
      ...{
        message_id: run.messageId,
        thread_id: owner,
        user_id: null,
        positive_feedback: null,
        rating: null,
      },
      ...{ comment: null, tags: [], updated_at: '2026-01-01T00:00:00.000Z', ...said },
    };
    await state.feedback.put(feedback);
    return feedback;
  }

  const ids = async (state: State, filter: Partial<BadAnswerFilter> = {}) => {
    const { items } = await state.feedback.bad({ owner: null, reviewed: false, ...filter }, { limit: 10 });
    return items.map(({ feedback }) => feedback.message_id);
  };

  test('bad answers have a thumbs-down or at most 2 of 5, newest first', () =>
    opened(async (state) => {
      const down = await rated(state, 'ann', { positive_feedback: false, comment: 'NUL: \0' });
      await rated(state, 'ann', { positive_feedback: true });
      await rated(state, 'ann', { comment: 'false' });
      await rated(state, 'ann', {
        comment: '","rating":1,"',
        tags: ['"rating":1', 'rating', 'positive_feedback'],
      });
      await rated(state, 'ann', { rating: 3 });
      const two = await rated(state, 'bob', { rating: 2 });
      expect(await ids(state)).toEqual([two.message_id, down.message_id]);
      expect(await ids(state, { owner: 'ann' })).toEqual([down.message_id]);
      expect(await ids(state, { owner: 'eve' })).toEqual([]);
      const { items } = await state.feedback.bad({ owner: 'ann', reviewed: false }, { limit: 1 });
      expect(items).toMatchObject([
        { feedback: down, owner: 'ann', workflow: 'w', request: { userPrompt: 'Asked by ann' } },
      ]);
    }));

  test('pages of bad answers', () =>
    opened(async (state) => {
      const all: string[] = [];
      for (let number = 0; number < 5; number++)
        all.unshift((await rated(state, 'ann', { rating: 1 })).message_id);
      const found: string[] = [];
      for (let after: [string] | undefined; ; ) {
        const { items, next } = await state.feedback.bad(
          { owner: 'ann', reviewed: false },
          { limit: 2, after },
        );
        found.push(...items.map(({ feedback }) => feedback.message_id));
        if (!next) break;
        after = [String(next[0])];
      }
      expect(found).toEqual(all);
    }));

  test('a review only replaces the feedback that was read, not newer feedback', () =>
    opened(async (state) => {
      const before = await rated(state, 'ann', { positive_feedback: false });
      const review = { reviewed_at: '2026-01-02T00:00:00.000Z', reviewer: 'eve', corrected_answer: 'Yes.' };
      expect(await state.feedback.replace(before, { ...before, review })).toBe(true);
      expect(await state.feedback.get(before.message_id)).toEqual({ ...before, review });
      expect([await ids(state), await ids(state, { reviewed: true })]).toEqual([[], [before.message_id]]);
      expect(await state.feedback.replace(before, { ...before, comment: 'lost' })).toBe(false);
      const again = { ...before, comment: 'Still wrong.' };
      await state.feedback.put(again);
      expect([await ids(state), await ids(state, { reviewed: true })]).toEqual([[before.message_id], []]);
      expect(await state.feedback.replace(again, { ...again, review: null })).toBe(true);
      expect(await ids(state)).toEqual([before.message_id]);
    }));
}
