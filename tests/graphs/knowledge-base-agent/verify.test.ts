/** The last step: a citation quotes the part of the document that the answer relies on. */
import { expect, test } from 'bun:test';
import { KnowledgeWork, type KnowledgeWorkState } from '../../../graphs/knowledge-base-agent/state.ts';
import { verify } from '../../../graphs/knowledge-base-agent/verify.ts';
import type { AgentTools } from '../../../graphs/skein.ts';

const DOCUMENT =
  '# Shop\n\nIntro.\n\n## Frames\n\nFrames last ten years.\n\n## Forks\n\nForks last five years.\n';
const CONTEXT = DOCUMENT.slice(DOCUMENT.indexOf('## Frames'));
const TEXT = 'Frames last ten years.';
const at = DOCUMENT.indexOf(TEXT);

interface Data {
  citations: { start: number; end: number; quote: string; score: number }[];
  unsupported: string[];
}

async function verified(draft: string): Promise<Data> {
  const scores = { vector: 0.5, text: 3, fused: 0.03 };
  const place = { id: 'a', document: 'shop.md', heading: 'Shop > Frames', page: null };
  const passage = { ...place, start: at, end: at + TEXT.length, text: TEXT, context: CONTEXT, scores };
  const empty = Object.fromEntries(Object.keys(KnowledgeWork.spec).map((channel) => [channel, null]));
  const state = { ...empty, draft, passages: [passage], question: 'How long?' } as unknown;
  const { result } = await verify(state as KnowledgeWorkState, {} as AgentTools);
  return result?.data as Data;
}

test('the passage is quoted if it says what the answer says', async () => {
  const { citations, unsupported } = await verified('Frames last ten years [1].');
  expect(citations).toMatchObject([{ start: at, end: at + TEXT.length, quote: TEXT, score: 0.03 }]);
  expect(unsupported).toEqual([]);
});

test('the section around it is quoted if the answer relies on that', async () => {
  const { citations, unsupported } = await verified('Forks last five years [1].');
  expect(unsupported).toEqual([]);
  const [{ start, end, quote } = { start: 0, end: 0, quote: '' }] = citations;
  expect(quote).toContain('Forks last five years.');
  expect(DOCUMENT.slice(start, end)).toBe(quote);
});
