/** Reads lines that a person types, and handles Ctrl-C. */
import { createInterface, type Interface, type Key } from 'node:readline';
import { Writable } from 'node:stream';
import { openPastes } from './paste.ts';

export interface Keyboard {
  /** Undefined when the person ends the input. */
  ask(prompt: string): Promise<string | undefined>;
  /** The same, without echo. */
  askSecret(prompt: string): Promise<string | undefined>;
  /** Calls `work` at Ctrl-C until the returned function is called. By default, Ctrl-C ends the input. */
  onInterrupt(work: () => void): () => void;
  close(): void;
}

export interface KeyboardOptions {
  /** Returns several pasted lines as one answer, with their line ends; typed lines are one answer each. */
  takesPastes?: boolean;
}

/** The terminal's streams. */
export function openKeyboard(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  { takesPastes = false }: KeyboardOptions = {},
): Keyboard {
  let isHidden = false;
  const echo = new Writable({
    write(piece, encoding, done) {
      if (isHidden) done();
      else output.write(piece, encoding, done);
    },
  });
  const pastes = takesPastes ? openPastes(input, output) : undefined;
  const lines = createInterface({
    input: pastes?.keys ?? input,
    output: Object.assign(echo, { columns: output.columns }),
    terminal: true,
  });
  const waiting: string[] = [];
  let take: ((line: string | undefined) => void) | undefined;
  let interrupt: (() => void) | undefined;
  let ended = false;
  const give = (line: string | undefined) => {
    const taker = take;
    take = undefined;
    taker?.(line);
  };
  let written: string | undefined;
  lines.on('line', (line) => (take ? give(written ?? line) : waiting.push(written ?? line)));
  lines.on('close', () => {
    ended = true;
    give(undefined);
  });
  lines.on('SIGINT', () => (interrupt ? interrupt() : lines.close()));
  if (pastes) {
    lines.on('SIGCONT', pastes.turnOn);
    // Readline returns a multi-line entry in the order of its history: the last line first.
    pastes.keys.prependListener('keypress', () => {
      written = lines.line;
    });
    pastes.keys.on('keypress', (_text, { name }: Key) => {
      if (name !== 'paste-start') return;
      insert(lines, pastes.take());
      // A line that is typed while a turn is shown answers the next question.
      if (take) lines.prompt(true);
    });
  }

  function ask(prompt: string): Promise<string | undefined> {
    const typed = waiting.shift();
    if (typed !== undefined) return Promise.resolve(typed);
    if (ended) return Promise.resolve(undefined);
    const line = new Promise<string | undefined>((resolve) => {
      take = resolve;
    });
    lines.setPrompt(prompt);
    // Print the question after what has been written so far.
    lines.prompt(true);
    return line;
  }

  return {
    ask,
    async askSecret(prompt) {
      const line = ask(prompt);
      isHidden = true;
      try {
        return await line;
      } finally {
        isHidden = false;
        output.write('\n');
      }
    },
    onInterrupt(work) {
      interrupt = work;
      return () => {
        interrupt = undefined;
      };
    },
    close() {
      lines.close();
      pastes?.close();
    },
  };
}

/** Line ends cannot be passed to readline as keys: they would end the line. */
function insert(lines: Interface, text: string): void {
  const { line, cursor } = lines;
  Object.assign(lines, {
    line: line.slice(0, cursor) + text + line.slice(cursor),
    cursor: cursor + text.length,
  });
}
