/** Lines that a person types, and Ctrl-C. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

export interface Keyboard {
  /** Undefined when the person ends the input. */
  ask(prompt: string): Promise<string | undefined>;
  /** The same for what nobody should see. */
  askSecret(prompt: string): Promise<string | undefined>;
  /** Calls `work` at Ctrl-C, until the function that is given back is called; without one, Ctrl-C ends the input. */
  onInterrupt(work: () => void): () => void;
  close(): void;
}

/** Both are the terminal's. */
export function openKeyboard(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Keyboard {
  let isHidden = false;
  const echo = new Writable({
    write(piece, encoding, done) {
      if (isHidden) done();
      else output.write(piece, encoding, done);
    },
  });
  const lines = createInterface({
    input,
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
  lines.on('line', (line) => (take ? give(line) : waiting.push(line)));
  lines.on('close', () => {
    ended = true;
    give(undefined);
  });
  lines.on('SIGINT', () => (interrupt ? interrupt() : lines.close()));

  function ask(prompt: string): Promise<string | undefined> {
    const typed = waiting.shift();
    if (typed !== undefined) return Promise.resolve(typed);
    if (ended) return Promise.resolve(undefined);
    const line = new Promise<string | undefined>((resolve) => {
      take = resolve;
    });
    lines.setPrompt(prompt);
    lines.prompt();
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
    close: () => lines.close(),
  };
}
