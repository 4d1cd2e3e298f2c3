/** The identifiers in a question. */
import { expect, test } from 'bun:test';
import { identifiersOf } from '../../../../../tools/knowledge/local/words/identifiers.ts';

test.each([
  ['Wofür ist sqlite3_busy_timeout da?', ['sqlite3_busy_timeout']],
  ['Was macht git rebase --onto?', ['--onto']],
  ['Wofür ist die Datei .gitattributes da?', ['.gitattributes']],
  ['À quoi sert functools.lru_cache ?', ['functools.lru_cache']],
  ['Was macht der Befehl VACUUM?', ['VACUUM']],
  ['Where is getElementById defined?', ['getElementById']],
  ['What does `foo bar` do?', ['foo bar']],
])('%s', (query, names) => expect(identifiersOf(query)).toEqual(names));

test.each([
  'How is sourdough bread baked?',
  'Is the FAQ e.g. long?',
  'a-b and well-known words',
  'In 2024?',
  '???',
])('no identifier in: %s', (query) => expect(identifiersOf(query)).toEqual([]));
