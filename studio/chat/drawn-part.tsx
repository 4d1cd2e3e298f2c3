/** What draws messages and turns, as one piece: once it is loaded, no further part of a conversation is waited for. */
import { FailedTurn, type FailedTurnProps } from './failed-turn.tsx';
import { LiveTurn, type LiveTurnProps } from './live-turn.tsx';
import { MessageItem, type MessageItemProps } from './message-item.tsx';
import { Waiting, type WaitingProps } from './waiting.tsx';

export type Part =
  | { kind: 'message'; of: MessageItemProps }
  | { kind: 'failed'; of: FailedTurnProps }
  | { kind: 'turn'; of: LiveTurnProps }
  | { kind: 'waiting'; of: WaitingProps };

export default function DrawnPart({ kind, of }: Part) {
  if (kind === 'message') return <MessageItem {...of} />;
  if (kind === 'failed') return <FailedTurn {...of} />;
  return kind === 'turn' ? <LiveTurn {...of} /> : <Waiting {...of} />;
}
