/** The state of a prompt file in the editor: the saved version, the draft, and conflicts with other people's versions. */
import { useEffect, useRef, useState } from 'react';
import { SkeinApiError } from '../../../client/api-error.ts';
import {
  DEFAULT_REVISION,
  type PromptName,
  type PromptText,
  readPrompt,
  savePrompt,
} from '../../data/prompts.ts';
import { invalidate } from '../../service/resources.ts';
import type { LoadedText } from '../editor/code-editor.tsx';
import { deleteDraft, readDraft, saveDraft } from './draft-storage.ts';

export interface Draft {
  /** Undefined until the file is loaded. */
  text: string | undefined;
  shown: LoadedText;
  /** Undefined if the file doesn't exist yet. */
  saved: PromptText | undefined;
  isChanged: boolean;
  busy: boolean;
  /** A newer version that someone else has saved. */
  theirs: PromptText | undefined;
  /** The draft was restored from session storage. */
  wasRestored: boolean;
  /** Why the file couldn't be loaded or saved. */
  error: Error | undefined;
  edit(text: string): void;
  save(): Promise<void>;
  /** Returns to the saved version. */
  discard(): void;
  takeTheirs(): void;
  reload(): Promise<void>;
}

interface State
  extends Pick<Draft, 'text' | 'shown' | 'saved' | 'busy' | 'theirs' | 'wasRestored' | 'error'> {
  /** The text without edits. */
  original: string;
}

const INITIAL: State = {
  ...{ text: undefined, shown: { text: '', count: 0 }, saved: undefined, busy: false, original: '' },
  ...{ theirs: undefined, wasRestored: false, error: undefined },
};

/** The name must not change: use a key to mount another component for another file. */
export function useDraft(name: PromptName): Draft {
  const [state, setState] = useState(INITIAL);
  const now = useRef(state);
  const { text, saved, theirs, original } = state;
  const isChanged = text !== undefined && text !== original;

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
      const before = readDraft(name);
      const first = read?.text ?? (await fallbackOf(name));
      const { shown } = now.current;
      const loaded = { ...INITIAL, shown, saved: read, original: first };
      if (!before || before.text === first) return show(first, loaded);
      const isOutdated = read && read.etag !== before.etag;
      show(before.text, { ...loaded, wasRestored: true, theirs: isOutdated ? read : undefined });
    } catch (error) {
      change({ error: asError(error) });
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads once
  useEffect(() => void reload(), []);

  async function save(): Promise<void> {
    const content = now.current.text;
    if (content === undefined || now.current.busy) return;
    const base = now.current.theirs ?? now.current.saved;
    change({ busy: true, error: undefined });
    try {
      const others = base ? undefined : await find(name);
      if (others) return change({ busy: false, theirs: others });
      await savePrompt(name, content, base?.etag);
      const read = await readPrompt(name);
      const isOutdated = read.text !== content;
      const after = { saved: read, original: read.text, wasRestored: false };
      change({ ...after, busy: false, theirs: isOutdated ? read : undefined });
      if (now.current.text === read.text) deleteDraft(name);
      invalidate('prompt');
    } catch (error) {
      const isConflict = error instanceof SkeinApiError && error.code === 'PROMPT_CONFLICT';
      if (!isConflict) return change({ busy: false, error: asError(error) });
      const others = await find(name).catch(() => undefined);
      change({ busy: false, theirs: others, error: others ? undefined : asError(error) });
      invalidate('prompt');
    }
  }

  function reset(read: PromptText | undefined): void {
    const first = read?.text ?? original;
    deleteDraft(name);
    show(first, { saved: read, original: first, theirs: undefined, wasRestored: false, error: undefined });
  }
  return {
    ...state,
    isChanged,
    save,
    reload,
    edit(typed) {
      change({ text: typed, error: undefined });
      const { saved: known, original: first } = now.current;
      if (typed === first) deleteDraft(name);
      else saveDraft(name, { text: typed, etag: known?.etag });
    },
    discard: () => reset(saved),
    takeTheirs: () => reset(theirs),
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

/** The initial text of a new file: that of the file in the default revision, which is used until then. */
async function fallbackOf({ revision, file }: PromptName): Promise<string> {
  if (revision === DEFAULT_REVISION) return '';
  return (await find({ revision: DEFAULT_REVISION, file }))?.text ?? '';
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
