/**
 * The editor of a prompt file, in a shadow root: there CodeMirror uses adopted stylesheets, which the content security policy
 * allows.
 */
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

/** A text to load into the editor, other than by typing. A new `count` loads it again. */
export interface LoadedText {
  text: string;
  count: number;
}

interface CodeEditorProps {
  label: string;
  isTemplate: boolean;
  shown: LoadedText;
  changed(text: string): void;
  problem: Problem | undefined;
  /** The text to merge with, if any. */
  against: string | undefined;
}

export default function CodeEditor({ label, isTemplate, shown, changed, problem, against }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const onChange = useRef(changed);
  useEffect(() => {
    onChange.current = changed;
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect below handles later texts
  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const listening = EditorView.updateListener.of(({ docChanged, state, transactions }) => {
      if (!docChanged || transactions.some((one) => one.isUserEvent(EXTERNAL))) return;
      onChange.current(state.doc.toString());
    });
    const extensions = [
      ...[
        listening,
        baseExtensions,
        merging.of([]),
        EditorView.contentAttributes.of({ 'aria-label': label }),
      ],
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
    view.dispatch({ changes, userEvent: EXTERNAL });
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

const EXTERNAL = 'external';
const merging = new Compartment();

// Tab isn't bound, so that keyboard users can leave the editor.
const baseExtensions: Extension = [
  ...[lineNumbers(), highlightActiveLineGutter(), history(), drawSelection(), bracketMatching()],
  ...[EditorView.lineWrapping, EditorState.tabSize.of(2), keymap.of([...defaultKeymap, ...historyKeymap])],
  editorTheme,
];

/** Shows the differences from the other text, with buttons to keep or replace each. */
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
