/** The editor of a prompt file. It lives in a shadow root: there its style sheets are adopted, which the page's policy allows. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { editorTheme } from './editor-theme.ts';
import { jinjaLanguage } from './jinja-language.ts';
import type { Problem } from './problem.ts';
import { rangeOf } from './problem-range.ts';

/** A text that somebody else than the person who types has put there; another `count` says that it is a new one. */
export interface Shown {
  text: string;
  count: number;
}

interface CodeEditorProps {
  label: string;
  isTemplate: boolean;
  shown: Shown;
  changed(text: string): void;
  problem: Problem | undefined;
  /** The text that this one is merged with, if any. */
  against: string | undefined;
}

export default function CodeEditor({ label, isTemplate, shown, changed, problem, against }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const tell = useRef(changed);
  useEffect(() => {
    tell.current = changed;
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: later texts come in below
  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const listening = EditorView.updateListener.of(({ docChanged, state, transactions }) => {
      if (!docChanged || transactions.some((one) => one.isUserEvent(FROM_OUTSIDE))) return;
      tell.current(state.doc.toString());
    });
    const extensions = [
      ...[listening, setUp, merging.of([]), EditorView.contentAttributes.of({ 'aria-label': label })],
      ...(isTemplate ? [jinjaLanguage] : []),
    ];
    const view = new EditorView({ doc: shown.text, extensions, parent: root, root });
    editor.current = view;
    return () => view.destroy();
  }, [label, isTemplate]);

  useEffect(() => {
    const view = editor.current;
    if (!view || shown.count === 0) return;
    const changes = { from: 0, to: view.state.doc.length, insert: shown.text };
    view.dispatch({ changes, userEvent: FROM_OUTSIDE });
  }, [shown]);

  useEffect(() => {
    const merge = against === undefined ? [] : mergeWith(against);
    editor.current?.dispatch({ effects: merging.reconfigure(merge) });
  }, [against]);

  useEffect(() => {
    const view = editor.current;
    if (!view) return;
    const range = problem && rangeOf(view.state.doc.toString(), problem);
    const found = range ? [{ ...range, severity: 'error' as const, message: problem.message }] : [];
    view.dispatch(setDiagnostics(view.state, found));
  }, [problem]);

  return <div ref={host} className="code-editor" />;
}

const FROM_OUTSIDE = 'outside';
const merging = new Compartment();

// Tab is left to the page: who came in by keyboard gets out again.
const setUp: Extension = [
  ...[lineNumbers(), highlightActiveLineGutter(), history(), drawSelection(), bracketMatching()],
  ...[EditorView.lineWrapping, EditorState.tabSize.of(2), keymap.of([...defaultKeymap, ...historyKeymap])],
  editorTheme,
];

/** What differs from the other text, piece by piece, each to be taken or left. */
function mergeWith(original: string): Extension {
  return unifiedMergeView({
    original,
    highlightChanges: true,
    syntaxHighlightDeletions: false,
    mergeControls(type, action) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = type === 'accept' ? 'Keep mine' : 'Take theirs';
      button.onclick = action;
      return button;
    },
  });
}
