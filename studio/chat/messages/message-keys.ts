/** Keyboard navigation between answers. Each answer is one tab stop; Enter moves into it and Escape back out. */
import type { KeyboardEvent } from 'react';

/** The attributes of an answer. */
export const STOP = { tabIndex: 0, 'aria-keyshortcuts': 'Enter' };

const FOCUSABLE = 'a[href], button:not(:disabled), select, input, summary, [tabindex="0"]';

/** The key handler for the element around all answers. Tab moves on into the latest answer. */
export function moveBetweenAnswers(event: KeyboardEvent<HTMLElement>): void {
  const target = event.target as HTMLElement;
  const answer = target.closest<HTMLElement>('.answer');
  if (!answer || target.closest('dialog')) return;
  const next = target === answer ? fromAnswer(event, answer) : event.key === 'Escape' ? answer : undefined;
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function fromAnswer({ key, shiftKey, currentTarget }: KeyboardEvent, answer: HTMLElement) {
  if (key === 'Enter') return answer.querySelector<HTMLElement>(FOCUSABLE);
  if (key !== 'Tab') return undefined;
  const all = [...currentTarget.querySelectorAll<HTMLElement>('.answer')];
  return all[all.indexOf(answer) + (shiftKey ? -1 : 1)];
}
