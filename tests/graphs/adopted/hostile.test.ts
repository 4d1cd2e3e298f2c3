/** Graphs with misbehaving code: they affect only their own turn. */
import { expect, test } from 'bun:test';
import { runningProvider, runningService } from '../../server/support/running.ts';

const ODD = `
const deep = (levels) => { let value = {}; for (let i = 0; i < levels; i++) value = { value }; return value; };
const odd = {
  endless: () => ({ x: { toJSON() { return { toJSON: this.toJSON }; } } }),
  getter: () => ({ x: { get y() { throw new Error('no'); }, z: 1 } }),
  map: () => ({ x: new Map([[Object.create(null), 1]]) }),
  deep: () => ({ x: deep(200) }),
  circle: () => { const error = new Error('loop'); error.cause = error; throw error; },
};
export default new StateGraph(Annotation.Root({ way: Annotation(), x: Annotation() }))
  .addNode('odd', ({ way }) => odd[way]())
  .addEdge(START, 'odd')
  .compile();`;

/** Each with its exports, or its error while it is loaded. */
const BROKEN = {
  symbol: "throw Object.assign(new Error('x'), { message: Symbol('s') });",
  getter: "throw Object.defineProperty(new Error('x'), 'message', { get() { throw new Error('y'); } });",
  trap: "throw new Proxy(new Error('x'), { getPrototypeOf() { throw new Error('z'); } });",
  nothing: 'throw new AggregateError([]);',
};

const service = runningService(runningProvider(), '', { odd: ODD, ...BROKEN });

test.each(['endless', 'getter', 'map', 'circle', 'deep'])(
  'a node that misbehaves only harms its own turn: %s',
  async (way) => {
    const { status } = await service.chat({ conversation_flow: 'odd', user_prompt: 'x', input: { way } });
    expect([200, 500]).toContain(status);
    expect((await service.chat({ user_prompt: 'Hello' })).status).toBe(200);
  },
);

test('a file that throws an unreadable value is named, and the others run', async () => {
  const { workflows } = (await (await service.fetch('/api/v1/workflows')).json()) as {
    workflows: { workflow: string; description: string }[];
  };
  const broken = workflows.filter(({ workflow }) => workflow in BROKEN);
  expect(broken.map(({ description }) => description).toSorted()).toEqual(
    Object.keys(BROKEN)
      .map((name) => `Broken: graphs/${name}/graph.ts: it throws an error without a message`)
      .toSorted(),
  );
});
