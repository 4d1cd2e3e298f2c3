/** Lazy components of the transcript: an empty conversation doesn't need Markdown. */
import { lazyWithStyles } from '../../lazy-with-styles.ts';
import type { MessageItemProps } from '../messages/message-item.tsx';
import type { FailedTurnProps } from '../turns/failed-turn.tsx';
import type { LiveTurnProps } from '../turns/live-turn.tsx';
import type { WaitingProps } from '../turns/waiting.tsx';

const TranscriptPart = lazyWithStyles(() => import('./transcript-part.tsx'));

export const MessageItem = (of: MessageItemProps) => <TranscriptPart kind="message" of={of} />;
export const FailedTurn = (of: FailedTurnProps) => <TranscriptPart kind="failed" of={of} />;
export const LiveTurn = (of: LiveTurnProps) => <TranscriptPart kind="turn" of={of} />;
export const Waiting = (of: WaitingProps) => <TranscriptPart kind="waiting" of={of} />;

export const ForkNote = lazyWithStyles(async () => ({ default: (await import('./fork-note.tsx')).ForkNote }));
