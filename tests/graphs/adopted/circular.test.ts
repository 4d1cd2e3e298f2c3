/** State with a circular reference cannot be stored: the turn fails with an error that names the channel or node. */
import { expect, test } from 'bun:test';
import { runningProvider, runningService } from '../../server/support/running.ts';

const CIRCLES = `
const circle = () => { const one = {}; return Object.assign(one, { one }); };
const ways = {
  object: () => ({ x: circle() }),
  map: () => { const map = new Map(); return { x: map.set('map', map) }; },
  'long list': () => { const list = Array.from({ length: 200_000 }, (_, index) => index); list.push({ list }); return { x: list }; },
  reduced: () => ({ sum: 1 }),
  message: () => ({ messages: new AIMessage({ content: 'hello', additional_kwargs: circle() }) }),
  sent: () => new Command({ goto: new Send('next', circle()) }),
  deep: () => { let x = {}; for (let level = 0; level < 50_000; level++) x = { x }; return { x }; },
  shared: () => { const one = { a: 1 }; return { x: [one, one, { one }] }; },
};
const sum = Annotation({ reducer: (left, right) => (right === 1 ? circle() : left), default: () => 0 });
export default new StateGraph(Annotation.Root({ way: Annotation(), x: Annotation(), messages: Annotation(), sum }))
  .addNode('odd', ({ way }) => ways[way](), { ends: ['next'] })
  .addNode('next', () => ({}))
  .addEdge(START, 'odd').addEdge('odd', 'next')
  .compile();`;

const service = runningService(runningProvider(), '', { circles: CIRCLES });

const ask = (way: string) =>
  service.chat({ conversation_flow: 'circles', thread_id: 'circles', user_prompt: 'x', input: { way } });

test.each([
  ['object', "The value of the channel 'x'"],
  ['map', "The value of the channel 'x'"],
  ['long list', "The value of the channel 'x'"],
  ['reduced', "The value of the channel 'sum'"],
  ['message', "The value of the channel 'messages'"],
  ['sent', "The input sent to the node 'next'"],
  ['deep', "The value of the channel 'x'"],
])('a turn with a circular state fails and says where the cycle is: %s', async (way, place) => {
  expect(await ask(way)).toMatchObject({
    status: 500,
    body: {
      error_code: 'INTERNAL_ERROR',
      message: `${place} cannot be stored: it contains a circular reference or is nested too deeply`,
    },
  });
  // The thread continues.
  expect((await ask('shared')).body.values.x).toEqual([{ a: 1 }, { a: 1 }, { one: { a: 1 } }]);
});
