/** What was edited and answered on the playground that was left last: who comes back in this tab finds it as it was. */
import type { Answer } from './answers.tsx';
import type { EditedCall } from './edited-call.ts';

export interface LeftCall {
  edited: EditedCall;
  answers: Answer[];
}

let left: { place: string; call: LeftCall } | undefined;

/** `place` names the recorded call. */
export function leave(place: string, call: LeftCall): void {
  left = { place, call };
}

export function leftAt(place: string): LeftCall | undefined {
  return left?.place === place ? left.call : undefined;
}
