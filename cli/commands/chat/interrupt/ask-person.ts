/** Asks a person for the answers that a thread waits for, and resumes the thread with them. */
import { streamResume } from '../../../../client/stream-chat.ts';
import type { ResumeRequest } from '../../../../server/chat/resume.ts';
import type { Connection } from '../../../service/connect.ts';
import { guardedTurn, type Terminal } from '../turn/guarded-turn.ts';
import { answerTo, questionOf } from './question.ts';
import { askerOf, type Interrupt, stopText, type Waiting, waits } from './waiting.ts';

/** Returns when the thread no longer waits or the person gives no answer. */
export async function askPerson(
  connection: Connection,
  { thread, waiting }: { thread: string; waiting: Waiting },
  terminal: Terminal,
): Promise<void> {
  for (let interrupted = waiting; ; ) {
    const request = await requestFor(interrupted, terminal);
    if (!request) {
      terminal.screen.write(
        'The thread still waits. To answer later, use /thread ID or skein chat --thread.\n',
      );
      return;
    }
    const end = await guardedTurn(connection, terminal, (options) =>
      streamResume(connection.url, thread, request, options),
    );
    if (!end || !waits(end.waiting)) return;
    interrupted = end.waiting;
  }
}

/** Returns undefined if the person answers nothing. */
async function requestFor(
  waiting: Waiting,
  terminal: Terminal,
): Promise<Omit<ResumeRequest, 'stream'> | undefined> {
  const [first, ...others] = waiting.interrupts;
  if (!first) return continueStopped(waiting, terminal);
  if (others.length > 0) return answersTo(waiting.interrupts, terminal);
  terminal.screen.write(questionOf(first.value));
  const words = await terminal.keyboard.ask('answer> ');
  return isNothing(words) ? undefined : { value: answerTo(first.value, words) };
}

async function continueStopped(
  waiting: Waiting,
  { keyboard, screen }: Terminal,
): Promise<Record<string, never> | undefined> {
  screen.write(`${stopText(waiting)} Press Enter to continue; any other input leaves it stopped.\n`);
  return (await keyboard.ask('continue> '))?.trim() === '' ? {} : undefined;
}

/** Asks the questions one after the other. Questions without an answer stay pending. */
async function answersTo(interrupts: Interrupt[], { keyboard, screen }: Terminal) {
  const values: Record<string, unknown> = {};
  for (const [at, one] of interrupts.entries()) {
    screen.write(`${screen.style.bold(`${askerOf(one)}:`)}\n${questionOf(one.value)}`);
    const words = await keyboard.ask(`answer ${at + 1} of ${interrupts.length}> `);
    if (words === undefined) return undefined;
    if (!isNothing(words)) values[one.interrupt_id] = answerTo(one.value, words);
  }
  return Object.keys(values).length === 0 ? undefined : { values };
}

function isNothing(words: string | undefined): words is undefined {
  return words === undefined || words.trim() === '';
}
