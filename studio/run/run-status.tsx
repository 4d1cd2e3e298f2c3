/** The state of a run in a word and a colour. */
import type { RunStatus } from '../data/runs.ts';

const TONES: Record<RunStatus, { tone: string; word: string }> = {
  queued: { tone: 'running', word: 'queued' },
  running: { tone: 'running', word: 'running' },
  succeeded: { tone: 'good', word: 'succeeded' },
  failed: { tone: 'bad', word: 'failed' },
  interrupted: { tone: 'waiting', word: 'waits' },
  cancelled: { tone: '', word: 'cancelled' },
};

export function RunStatusChip({ status }: { status: RunStatus }) {
  const { tone, word } = TONES[status];
  return <span className={`chip ${tone}`}>{word}</span>;
}
