/** Parts of the page that are loaded when they are first shown: an empty conversation needs no Markdown. */
import { later } from '../later.ts';
import type { LiveTurnProps } from './live-turn.tsx';
import type { MessageItemProps } from './message-item.tsx';
import type { WaitingProps } from './waiting.tsx';

const DrawnPart = later(() => import('./drawn-part.tsx'));

export const MessageItem = (of: MessageItemProps) => <DrawnPart kind="message" of={of} />;
export const LiveTurn = (of: LiveTurnProps) => <DrawnPart kind="turn" of={of} />;
export const Waiting = (of: WaitingProps) => <DrawnPart kind="waiting" of={of} />;

export const RunInspector = later(async () => ({
  default: (await import('../run/run-inspector.tsx')).RunInspector,
}));

export const ForkStart = later(async () => ({ default: (await import('./fork-start.tsx')).ForkStart }));
