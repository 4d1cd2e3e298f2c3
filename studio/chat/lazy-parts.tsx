/** Lazy components of the chat page: an empty conversation doesn't need Markdown. */
import { lazyWithStyles } from '../lazy-with-styles.ts';
import type { FailedTurnProps } from './failed-turn.tsx';
import type { LiveTurnProps } from './live-turn.tsx';
import type { MessageItemProps } from './message-item.tsx';
import type { WaitingProps } from './waiting.tsx';

const TranscriptPart = lazyWithStyles(() => import('./transcript-part.tsx'));

export const MessageItem = (of: MessageItemProps) => <TranscriptPart kind="message" of={of} />;
export const FailedTurn = (of: FailedTurnProps) => <TranscriptPart kind="failed" of={of} />;
export const LiveTurn = (of: LiveTurnProps) => <TranscriptPart kind="turn" of={of} />;
export const Waiting = (of: WaitingProps) => <TranscriptPart kind="waiting" of={of} />;

export const RunInspector = lazyWithStyles(async () => ({
  default: (await import('../run/run-inspector.tsx')).RunInspector,
}));

export const SchemaInput = lazyWithStyles(async () => ({
  default: (await import('../parts/schema-form/schema-input.tsx')).SchemaInput,
}));

export const AdvancedFields = lazyWithStyles(async () => ({
  default: (await import('./advanced.tsx')).AdvancedFields,
}));

export const ForkNote = lazyWithStyles(async () => ({ default: (await import('./fork-note.tsx')).ForkNote }));
