/** Serialises the texts of agents that stream at the same time: each text is printed to its end before the next one. */
import { type Style, shown } from '../../../terminal/style.ts';

export interface AgentTexts {
  /** Adds a piece of an agent's text. */
  say(agent: string, text: string): void;
  /** Discards an agent's text, because the agent starts over. */
  restart(agent: string): void;
  /** Call it when an agent pauses: the next agent's text is printed. */
  pause(agent: string): void;
  /** Prints a separate line, once no agent is in the middle of a text. */
  note(text: string): void;
  /** Call it at the end of the turn: prints the remaining text. */
  end(): void;
  /** Takes the complete text of an agent, and prints the part that was not streamed. */
  settle(agent: string, whole: string): void;
}

export interface Screen {
  write(text: string): void;
  style: Style;
}

export function agentTexts({ write, style }: Screen): AgentTexts {
  const texts = new Map<string, string>();
  const printedLengths = new Map<string, number>();
  /** Agents that have finished for now. */
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
    const text = texts.get(agent) ?? '';
    const from = printedLengths.get(agent) ?? 0;
    // Don't print a name without a text.
    if (text.slice(from).trim() === '' && speaker !== agent) return;
    if (last !== agent) line(style.bold(`${shown(agent)}:`));
    speaker = agent;
    last = agent;
    printedLengths.set(agent, text.length);
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
      texts.set(agent, (texts.get(agent) ?? '') + text);
      if (speaker === undefined || speaker === agent) hear(agent);
    },
    restart(agent) {
      texts.delete(agent);
      printedLengths.delete(agent);
      if (last === agent) last = undefined;
      if (speaker === agent) fallSilent();
    },
    pause(agent) {
      silent.add(agent);
      if (speaker !== undefined && speaker !== agent) return;
      fallSilent();
      for (const waiting of texts.keys()) {
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
      const text = texts.get(agent) ?? '';
      const begun = text.slice(0, printedLengths.get(agent) ?? 0).trim();
      const rest = whole.startsWith(begun) ? whole.slice(begun.length) : whole;
      if (rest.trim() === '') return;
      if (last !== agent) line(style.bold(`${shown(agent)}:`));
      last = agent;
      line(shown(rest).trim());
    },
  };
}
