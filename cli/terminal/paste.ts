/** Receives pasted text as one piece: "Bracketed Paste Mode" of invisible-island.net/xterm/ctlseqs. */
import { PassThrough } from 'node:stream';
import { onEnd } from './signals.ts';

const TURN_ON = '\u001B[?2004h';
const TURN_OFF = '\u001B[?2004l';
const START = '\u001B[200~';
const END = '\u001B[201~';

export interface Pastes {
  /** Typed input, for readline; each paste is replaced by the key `paste-start`. */
  keys: PassThrough & { setRawMode(isRaw: boolean): void };
  /** The text of the oldest such key. */
  take(): string;
  /** Turns bracketed paste on, also again after another program used the terminal. */
  turnOn(): void;
  close(): void;
}

/** The terminal's streams. A terminal without bracketed paste works as usual: each line is typed. */
export function openPastes(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Pastes {
  const keys = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => input.setRawMode(isRaw) });
  const texts: string[] = [];
  const decoder = new TextDecoder();
  const read = pasteReader();
  const isTerminal = output.isTTY && process.env.TERM !== 'dumb';

  function forward(bytes: Uint8Array): void {
    for (const piece of read(decoder.decode(bytes, { stream: true }))) {
      if ('typed' in piece) keys.write(piece.typed);
      else {
        texts.push(piece.pasted);
        // Keeps the position of the paste among the keys.
        keys.write(START);
      }
    }
  }
  const end = () => keys.end();
  const turn = (mode: string) => void (isTerminal && output.write(mode));
  const turnOff = () => turn(TURN_OFF);

  input.on('data', forward).on('end', end);
  process.on('exit', turnOff);
  // The signal ends the process as usual, but the terminal must stop bracketing pastes first.
  const release = onEnd((signal) => {
    close();
    input.setRawMode(false);
    process.kill(process.pid, signal);
  });
  turn(TURN_ON);

  function close(): void {
    input.off('data', forward).off('end', end).pause();
    process.off('exit', turnOff);
    release();
    turnOff();
  }

  return { keys, take: () => texts.shift() ?? '', turnOn: () => turn(TURN_ON), close };
}

export type Piece = { typed: string } | { pasted: string };

/** Separates pastes from typed input, however the chunks are cut. */
export function pasteReader(): (text: string) => Piece[] {
  let held = '';
  let isPasted = false;
  return (text) => {
    const pieces: Piece[] = [];
    const give = (piece: string) => {
      if (isPasted) pieces.push({ pasted: plain(piece) });
      else if (piece !== '') pieces.push({ typed: piece });
    };
    held += text;
    for (;;) {
      const mark = isPasted ? END : START;
      const at = held.indexOf(mark);
      if (at < 0) break;
      give(held.slice(0, at));
      held = held.slice(at + mark.length);
      isPasted = !isPasted;
    }
    if (isPasted) return pieces;
    const begun = BEGUN_MARKS.find((mark) => held.endsWith(mark)) ?? '';
    give(held.slice(0, held.length - begun.length));
    held = begun;
    return pieces;
  };
}

// Not the escape alone: it is a key.
const BEGUN_MARKS = [5, 4, 3, 2].map((length) => START.slice(0, length));

/** With line feeds as line ends and without control characters: workflows reject those. */
function plain(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(/(?![\n\t])\p{Cc}/gu, '');
}
