/** A prompt file that is being edited: what is saved, what is typed, and what happens when somebody else was faster. */
import { useEffect, useRef, useState } from 'react';
import { SkeinApiError } from '../../client/api-error.ts';
import {
  DEFAULT_REVISION,
  type PromptName,
  type PromptText,
  readPrompt,
  savePrompt,
} from '../data/prompts.ts';
import { invalidate } from '../resources.ts';
import type { Shown } from './code-editor.tsx';
import { forget, keep, kept } from './kept-draft.ts';

export interface Draft {
  /** Undefined until it is read. */
  text: string | undefined;
  shown: Shown;
  /** Undefined where there is no such file yet. */
  saved: PromptText | undefined;
  isChanged: boolean;
  busy: boolean;
  /** What somebody else has saved meanwhile. */
  theirs: PromptText | undefined;
  /** Typed before this page was opened, and not saved. */
  wasKept: boolean;
  /** Why it cannot be read, or why it was not saved. */
  error: Error | undefined;
  edit(text: string): void;
  save(): Promise<void>;
  /** Back to what is saved. */
  discard(): void;
  takeTheirs(): void;
  reload(): Promise<void>;
}

interface State extends Pick<Draft, 'text' | 'shown' | 'saved' | 'busy' | 'theirs' | 'wasKept' | 'error'> {
  /** What was there before anybody typed. */
  beginning: string;
}

const BEGINNING: State = {
  ...{ text: undefined, shown: { text: '', count: 0 }, saved: undefined, busy: false, beginning: '' },
  ...{ theirs: undefined, wasKept: false, error: undefined },
};

/** The name must not change: another file is another component. */
export function useDraft(name: PromptName): Draft {
  const [state, setState] = useState(BEGINNING);
  const now = useRef(state);
  const { text, saved, theirs, beginning } = state;
  const isChanged = text !== undefined && text !== beginning;

  function change(changes: Partial<State>): void {
    now.current = { ...now.current, ...changes };
    setState(now.current);
  }
  function show(shownText: string, changes: Partial<State>): void {
    change({ ...changes, text: shownText, shown: { text: shownText, count: now.current.shown.count + 1 } });
  }

  async function reload(): Promise<void> {
    try {
      const read = await find(name);
      const before = kept(name);
      const first = read?.text ?? (await fallbackOf(name));
      const { shown } = now.current;
      const begun = { ...BEGINNING, shown, saved: read, beginning: first };
      if (!before || before.text === first) return show(first, begun);
      const overtaken = read && read.etag !== before.etag;
      show(before.text, { ...begun, wasKept: true, theirs: overtaken ? read : undefined });
    } catch (error) {
      change({ error: asError(error) });
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => void reload(), []);

  async function save(): Promise<void> {
    const content = now.current.text;
    if (content === undefined || now.current.busy) return;
    const based = now.current.theirs ?? now.current.saved;
    change({ busy: true, error: undefined });
    try {
      const others = based ? undefined : await find(name);
      if (others) return change({ busy: false, theirs: others });
      await savePrompt(name, content, based?.etag);
      const read = await readPrompt(name);
      const overtaken = read.text !== content;
      const after = { saved: read, beginning: read.text, wasKept: false };
      change({ ...after, busy: false, theirs: overtaken ? read : undefined });
      if (now.current.text === read.text) forget(name);
      invalidate('prompt');
    } catch (error) {
      const lost = error instanceof SkeinApiError && error.code === 'PROMPT_CONFLICT';
      if (!lost) return change({ busy: false, error: asError(error) });
      const others = await find(name).catch(() => undefined);
      change({ busy: false, theirs: others, error: others ? undefined : asError(error) });
      invalidate('prompt');
    }
  }

  function takeBack(read: PromptText | undefined): void {
    const first = read?.text ?? beginning;
    forget(name);
    show(first, { saved: read, beginning: first, theirs: undefined, wasKept: false, error: undefined });
  }
  return {
    ...state,
    isChanged,
    save,
    reload,
    edit(typed) {
      change({ text: typed, error: undefined });
      const { saved: known, beginning: first } = now.current;
      if (typed === first) forget(name);
      else keep(name, { text: typed, etag: known?.etag });
    },
    discard: () => takeBack(saved),
    takeTheirs: () => takeBack(theirs),
  };
}

async function find(name: PromptName): Promise<PromptText | undefined> {
  try {
    return await readPrompt(name);
  } catch (error) {
    if (error instanceof SkeinApiError && error.code === 'PROMPT_NOT_FOUND') return undefined;
    throw error;
  }
}

/** What a file that is not there yet begins as: what is used in its place. */
async function fallbackOf({ revision, file }: PromptName): Promise<string> {
  if (revision === DEFAULT_REVISION) return '';
  return (await find({ revision: DEFAULT_REVISION, file }))?.text ?? '';
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
