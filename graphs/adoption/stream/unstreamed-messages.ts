/** Reports messages that a node returns without having streamed them, so that the log contains each message once. */
import type { GraphLocation, NewEntry } from '../../../state/threads/events.ts';
import { isMessage, messageText } from '../message-json.ts';
import { identify, messagePiece, taskMetadata } from './message-piece.ts';
import type { NodeUpdate } from './node-update.ts';
import { hasText, noteText } from './reported-texts.ts';

export interface MessageLog {
  emit(entry: NewEntry): void;
  /** The ids, messages and texts that the log already contains. */
  reported: Set<unknown>;
}

/** Reports the text of each message; `emits: false` only marks the messages as reported. */
export function reportTexts(
  { emit, reported }: MessageLog,
  texts: NodeUpdate['answers'],
  { location, emits }: { location: GraphLocation; emits: boolean },
): void {
  for (const message of texts) {
    const { text } = message;
    const isReported =
      reported.has(message.id) || reported.has(message.message) || hasText(reported, location, text);
    if (message.id !== undefined) reported.add(message.id);
    reported.add(message.message);
    if (isReported || text === '' || !emits) continue;
    noteText(reported, location, text);
    emit({
      ...location,
      kind: 'message',
      body: { delta: text, ...(message.id !== undefined && { id: message.id }) },
    });
  }
}

/** Reports each message as a whole, like LangGraph's own stream of messages. */
export function reportMessages(
  { emit, reported }: MessageLog,
  messages: object[],
  location: GraphLocation,
): void {
  for (const message of messages) {
    if (!isMessage(message)) continue;
    const isReported = reported.has(message.id) || reported.has(message);
    identify(message);
    reported.add(message.id).add(message);
    if (isReported) continue;
    const text = message.getType() === 'ai' ? messageText(message) : '';
    const delta = hasText(reported, location, text) ? '' : text;
    noteText(reported, location, text);
    const piece = messagePiece(message, delta, taskMetadata(location));
    emit({ ...location, kind: 'message', body: { delta, id: message.id as string, ...piece } });
  }
}
