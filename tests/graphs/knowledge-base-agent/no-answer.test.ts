/** Which answers say that the passages contain no answer. */
import { expect, test } from 'bun:test';
import { saysNoAnswer } from '../../../graphs/knowledge-base-agent/no-answer.ts';

test.each([
  'The passages do not say how long saddles are covered.',
  "The provided documents don't contain any information about baking [1].",
  'The documentation does not mention this. You may ask the maker.',
  'I could not find an answer in the documents.',
  'There is no information about sourdough in the passages.',
  'None of the passages answers this question.',
  'None of these words is there; the nearest is in warranty.md [1].',
  'Die Dokumente enthalten keine Angaben dazu.',
  'Dazu steht nichts in den Passagen.',
  'Les documents ne contiennent pas de réponse à cette question.',
  'Los documentos no contienen una respuesta.',
  'I documenti non contengono una risposta.',
  'Os documentos não contêm uma resposta.',
])('%s', (answer) => expect(saysNoAnswer(answer)).toBe(true));

test.each([
  'Frames are covered for five years [1].',
  'Carbon frames are not covered [1].',
  'The documents do not name a date. Frames are covered for five years [1].',
  'Frames are covered for five years [1]. The passages do not say how long forks are.',
  '',
])('an answer: %s', (answer) => expect(saysNoAnswer(answer)).toBe(false));
