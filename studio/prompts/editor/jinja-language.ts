/** Syntax highlighting of Jinja templates. */
import { StreamLanguage, type StringStream } from '@codemirror/language';

interface State {
  /** The end of the current tag; undefined outside of tags. */
  until: '}}' | '%}' | undefined;
  /** Between `{% raw %}` and `{% endraw %}`, where nothing is a tag. */
  raw: boolean;
  /** Whether the next word is the name of a statement or a filter. */
  expects: 'statement' | 'filter' | undefined;
}

const KEYWORDS = new Set(
  (
    'if elif else endif for endfor in set endset macro endmacro call endcall filter endfilter raw endraw ' +
    'break continue and or not is defined undefined true false none True False None recursive'
  ).split(' '),
);

export const jinjaLanguage = StreamLanguage.define<State>({
  name: 'jinja',
  startState: () => ({ until: undefined, raw: false, expects: undefined }),
  copyState: (state) => ({ ...state }),
  token: (stream, state) => (state.until ? insideTag(stream, state) : outside(stream, state)),
  languageData: { commentTokens: { block: { open: '{#', close: '#}' } } },
});

function outside(stream: StringStream, state: State): string | null {
  if (state.raw) {
    if (!stream.match(/^\{%-?\s*endraw\b/, false)) return restOfText(stream, /\{%/);
  } else if (stream.match('{#')) {
    return stream.match(/^.*?#\}/) ? 'comment' : rest(stream, 'comment');
  }
  const opening = stream.match(state.raw ? /^\{%-?/ : /^\{[{%]-?/);
  if (!opening) return restOfText(stream, /\{[{%#]/);
  const isStatement = stream.string.slice(stream.start, stream.start + 2) === '{%';
  state.until = isStatement ? '%}' : '}}';
  state.expects = isStatement ? 'statement' : undefined;
  return 'meta';
}

function insideTag(stream: StringStream, state: State): string | null {
  if (stream.eatSpace()) return null;
  if (stream.match(state.until === '%}' ? /^-?%\}/ : /^-?\}\}/)) {
    state.until = undefined;
    return 'meta';
  }
  if (stream.match(/^"(?:[^"\\]|\\.)*"?/) || stream.match(/^'(?:[^'\\]|\\.)*'?/)) return 'string';
  if (stream.match(/^\d+(?:\.\d+)?/)) return 'number';
  const word = stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u);
  if (word && word !== true) return wordKind(word[0], stream, state);
  const sign = stream.next();
  state.expects = sign === '|' ? 'filter' : undefined;
  return sign === '.' ? 'punctuation' : 'operator';
}

function wordKind(word: string, stream: StringStream, state: State): string {
  const { expects } = state;
  state.expects = undefined;
  if (expects === 'statement' && (word === 'raw' || word === 'endraw')) state.raw = word === 'raw';
  if (expects === 'filter') return 'variableName.function';
  if (KEYWORDS.has(word)) return 'keyword';
  return stream.string[stream.start - 1] === '.' ? 'propertyName' : 'variableName';
}

function restOfText(stream: StringStream, next: RegExp): null {
  stream.next();
  const ahead = stream.string.slice(stream.pos).search(next);
  if (ahead < 0) stream.skipToEnd();
  else stream.pos += ahead;
  return null;
}

function rest(stream: StringStream, kind: string): string {
  stream.skipToEnd();
  return kind;
}
