/** The editor's theme, with the studio's colours. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const highlighting = HighlightStyle.define([
  { tag: tags.meta, color: 'var(--muted)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: tags.keyword, color: 'var(--bad)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: tags.number, color: 'var(--good)' },
  { tag: tags.variableName, color: 'var(--accent)' },
  { tag: tags.propertyName, color: 'var(--running)' },
  { tag: tags.function(tags.variableName), color: 'var(--waiting)' },
]);

const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--text)', fontSize: '0.8125rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection': {
    backgroundColor: 'var(--selected) !important',
  },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLineGutter': { color: 'var(--text)' },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: '6px',
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
  },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textUnderlineOffset: '3px',
  },
  '.cm-lintPoint-error::after': { borderBottomColor: 'var(--bad)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--bad-soft) !important' },
  '.cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--good-soft) !important' },
  '.cm-changedText': { background: 'none !important', textDecoration: 'underline' },
  '.cm-deletedText': { background: 'none !important' },
  '.cm-chunkButtons': { insetInlineEnd: '8px', display: 'flex', gap: '4px' },
  '.cm-chunkButtons button': {
    padding: '0 8px !important',
    border: '1px solid var(--line) !important',
    borderRadius: '4px',
    background: 'var(--raised) !important',
    color: 'var(--text) !important',
    font: '0.75rem/20px var(--font)',
    cursor: 'pointer',
  },
  // On narrow screens, the buttons would cover the text.
  '@media (max-width: 860px)': {
    '.cm-deletedChunk': { position: 'relative', paddingTop: '28px !important' },
    '.cm-chunkButtons': { top: '4px' },
  },
  '.cm-chunkButtons button:focus-visible': { outline: '2px solid var(--accent)' },
});

export const editorTheme: Extension = [look, syntaxHighlighting(highlighting)];
