/** The state of the last playground, kept in memory so that it is unchanged when you return in the same tab. */
import { onLogout } from '../session/session.ts';
import type { Answer } from './answers.tsx';
import type { EditedCall } from './edited-call.ts';

export interface PlaygroundState {
  edited: EditedCall;
  answers: Answer[];
}

let saved: { key: string; state: PlaygroundState } | undefined;
onLogout(() => {
  saved = undefined;
});

/** `key` identifies the recorded call. */
export function saveState(key: string, state: PlaygroundState): void {
  saved = { key, state };
}

export function savedState(key: string): PlaygroundState | undefined {
  return saved?.key === key ? saved.state : undefined;
}
