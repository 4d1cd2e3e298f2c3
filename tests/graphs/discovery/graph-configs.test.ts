/** `LANGGRAPH_CONFIG` in `env` of langgraph.json, in every form of `env`. */
import { expect, test } from 'bun:test';
import { written } from './written.ts';

const CONFIG = { agent: { configurable: { model_name: 'small' } }, other: { context: { model: 'm' } } };
const withEnv = (env: unknown, beside: Record<string, string> = {}) =>
  written({ graphs: { agent: './agent.ts:graph' }, env }, beside);

test('it is JSON text, an object, or a line of a dotenv file', async () => {
  const text = JSON.stringify(CONFIG);
  for (const { read } of [
    withEnv({ LANGGRAPH_CONFIG: text }),
    withEnv({ LANGGRAPH_CONFIG: CONFIG }),
    withEnv('.env', { '.env': `LANGGRAPH_CONFIG='${text}'` }),
  ])
    expect((await read()).graphConfigs).toEqual(CONFIG);
  for (const env of [undefined, {}, { LANGGRAPH_CONFIG: '' }])
    expect((await withEnv(env).read()).graphConfigs).toEqual({});
});

test('an invalid one is rejected with its place', async () => {
  const refusals: [value: unknown, refusal: string][] = [
    ['{"agent": {}', "in field 'env.LANGGRAPH_CONFIG': not valid JSON at line 1 column 13"],
    ['[]', "in field 'env.LANGGRAPH_CONFIG': expected a mapping of graphs to their configs"],
    [
      { agent: 'small' },
      "in field 'env.LANGGRAPH_CONFIG.agent': expected a mapping with configurable or context",
    ],
    [
      { agent: { configurable: [] } },
      "in field 'env.LANGGRAPH_CONFIG.agent.configurable': expected a mapping",
    ],
  ];
  for (const [value, refusal] of refusals)
    expect(await withEnv({ LANGGRAPH_CONFIG: value }).refusal()).toContain(refusal);
});
