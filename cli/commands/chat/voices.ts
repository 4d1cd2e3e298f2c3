/** What agents that speak at the same time say, one after the other: each to its end before the next is heard. */
import { type Style, shown } from '../../terminal/style.ts';

export interface Voices {
  /** A piece of what an agent says. */
  say(agent: string, text: string): void;
  /** What it said is void: it begins anew. */
  restart(agent: string): void;
  /** It says nothing more for now: whoever waited is heard. */
  pause(agent: string): void;
  /** A line of its own, once nobody is in the middle of something. */
  note(text: string): void;
  /** The turn is at its end: nobody is in the middle of something any more. */
  end(): void;
  /** The whole of what an agent said; what was not heard of it follows. */
  settle(agent: string, whole: string): void;
}

export interface Screen {
  write(text: string): void;
  style: Style;
}

export function voices({ write, style }: Screen): Voices {
  const said = new Map<string, string>();
  const heard = new Map<string, number>();
  /** Who has said all for now. */
  const silent = new Set<string>();
  const notes: string[] = [];
  let speaker: string | undefined;
  let last: string | undefined;
  let atLineStart = true;

  function print(text: string): void {
    if (text === '') return;
    write(text);
    atLineStart = text.endsWith('\n');
  }

  function line(text: string): void {
    print(`${atLineStart ? '' : '\n'}${text}\n`);
  }

  function hear(agent: string): void {
    const text = said.get(agent) ?? '';
    const from = heard.get(agent) ?? 0;
    // A name and then nothing would be odd.
    if (text.slice(from).trim() === '' && speaker !== agent) return;
    if (last !== agent) line(style.bold(`${shown(agent)}:`));
    speaker = agent;
    last = agent;
    heard.set(agent, text.length);
    print(shown(text.slice(from)));
  }

  function fallSilent(): void {
    speaker = undefined;
    if (!atLineStart) print('\n');
    for (const text of notes.splice(0)) line(text);
  }

  return {
    say(agent, text) {
      silent.delete(agent);
      said.set(agent, (said.get(agent) ?? '') + text);
      if (speaker === undefined || speaker === agent) hear(agent);
    },
    restart(agent) {
      said.delete(agent);
      heard.delete(agent);
      if (last === agent) last = undefined;
      if (speaker === agent) fallSilent();
    },
    pause(agent) {
      silent.add(agent);
      if (speaker !== undefined && speaker !== agent) return;
      fallSilent();
      for (const waiting of said.keys()) {
        if (speaker !== undefined) return;
        hear(waiting);
        if (silent.has(waiting)) fallSilent();
      }
    },
    note(text) {
      if (speaker === undefined) line(text);
      else notes.push(text);
    },
    end: fallSilent,
    settle(agent, whole) {
      const text = said.get(agent) ?? '';
      const begun = text.slice(0, heard.get(agent) ?? 0).trim();
      const rest = whole.startsWith(begun) ? whole.slice(begun.length) : whole;
      if (rest.trim() === '') return;
      if (last !== agent) line(style.bold(`${shown(agent)}:`));
      last = agent;
      line(shown(rest).trim());
    },
  };
}
