/** Which messages of a conversation can be searched for unchanged. */
import { expect, test } from 'bun:test';
import { standsAlone } from '../../../graphs/knowledge-base-agent/stands-alone.ts';

test.each(['How long is the warranty on a carbon frame?', 'Which tyre pressure suits a heavy rider?'])(
  'is standalone: %s',
  (message) => expect(standsAlone(message)).toBe(true),
);

test.each([
  'And on e-bike batteries with a range extender?',
  'How long does it last with a heavy rider in winter?',
  'Why?',
  'What about forks?',
  'The other warranty for frames and forks?',
  'Und wie lange gilt die Garantie auf Rahmen?',
  'warranty carbon frame duration',
])('needs the conversation: %s', (message) => expect(standsAlone(message)).toBe(false));
