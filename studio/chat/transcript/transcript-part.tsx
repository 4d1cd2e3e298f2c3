/** One lazy component for all parts of a transcript, so that they load together. */

import { MessageItem, type MessageItemProps } from '../messages/message-item.tsx';
import { FailedTurn, type FailedTurnProps } from '../turns/failed-turn.tsx';
import { LiveTurn, type LiveTurnProps } from '../turns/live-turn.tsx';
import { Waiting, type WaitingProps } from '../turns/waiting.tsx';

export type Part =
  | { kind: 'message'; of: MessageItemProps }
  | { kind: 'failed'; of: FailedTurnProps }
  | { kind: 'turn'; of: LiveTurnProps }
  | { kind: 'waiting'; of: WaitingProps };

export default function TranscriptPart({ kind, of }: Part) {
  if (kind === 'message') return <MessageItem {...of} />;
  if (kind === 'failed') return <FailedTurn {...of} />;
  return kind === 'turn' ? <LiveTurn {...of} /> : <Waiting {...of} />;
}
