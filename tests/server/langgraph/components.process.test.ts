/** The components of `ui` in langgraph.json: bundled for pages, and loaded there by LangGraph's own clients. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { testService } from '../../support/service.ts';

setDefaultTimeout(60_000);

const WEATHER = `import './weather.css';
import { useState } from 'react';
export default {
  'weather-component': function Weather({ city }: { city: string }) {
    const [word] = useState('Weather');
    return <div className="weather">{word} for {city}</div>;
  },
};`;

const FILES = {
  'ui/weather.tsx': WEATHER,
  'ui/weather.css': '.weather { color: teal }',
  'ui/chart.tsx': `import { bars } from 'charts/bars'; export default { chart: () => bars };`,
  'ui/broken.tsx': `import { gone } from './gone'; export default { gone };`,
};

const JSON_FILE = {
  graphs: {},
  ui: {
    ...{ 'agent-alias': './ui/weather.tsx', chart: './ui/chart.tsx' },
    ...{ broken: './ui/broken.tsx', later: './ui/later.tsx' },
  },
  ui_config: { shared: ['charts'] },
};

async function project() {
  const folder = mkdtempSync(join(tmpdir(), 'skein-ui-'));
  for (const [name, text] of Object.entries({ ...FILES, 'langgraph.json': JSON.stringify(JSON_FILE) }))
    await Bun.write(join(folder, name), text);
  const running = await testService({ folder });
  const component = (graph: string, name: string) =>
    new Client({ apiUrl: running.url, apiKey: null })['~ui'].getComponent(graph, name);
  const post = (graph: string, body: object) =>
    running.fetch(`/ui/${graph}`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    });
  return {
    ...{ running, folder, component, post },
    async [Symbol.asyncDispose]() {
      await running.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test('a component is served as the script that renders it, with its style sheet', async () => {
  await using service = await project();
  const { url } = service.running;
  expect(await service.component('agent-alias', 'weather-component')).toBe(
    `<link rel="stylesheet" href="${url}/ui/agent-alias/entrypoint.css" />\n` +
      `<script src="${url}/ui/agent-alias/entrypoint.js" ` +
      `onload='__LGUI_agent_alias.render("weather-component", "{{shadowRootId}}")'></script>`,
  );
  const script = await service.running.fetch('/ui/agent-alias/entrypoint.js');
  expect(script.headers.get('content-type')).toStartWith('text/javascript');
  const text = await script.text();
  expect(text).toContain('globalThis[Symbol.for("LGUI_REQUIRE")]("react/jsx-runtime")');
  expect(text).not.toContain('jsx-dev-runtime');
  const sheet = await service.running.fetch('/ui/agent-alias/entrypoint.css');
  expect(sheet.headers.get('content-type')).toStartWith('text/css');
  expect(await sheet.text()).toContain('.weather');
});

test('packages in ui_config.shared are taken from the page', async () => {
  await using service = await project();
  const script = await service.running.fetch('/ui/chart/entrypoint.js');
  expect(await script.text()).toContain('globalThis[Symbol.for("LGUI_REQUIRE")]("charts/bars")');
});

test('unknown components are not found', async () => {
  await using service = await project();
  expect(service.component('non-existent', 'none')).rejects.toThrow('404');
  const missing = await service.post('non-existent', { name: 'none' });
  expect([missing.status, await missing.text()]).toEqual([404, 'UI not found for agent "non-existent"']);
  const file = await service.running.fetch('/ui/chart/other.js');
  expect([file.status, await file.text()]).toEqual([404, 'File not found']);
  const nameless = await service.post('chart', {});
  expect(nameless.status).toBe(400);
});

test('a name is escaped in its HTML attribute', async () => {
  await using service = await project();
  const html = await service.component('chart', `a'"><script>alert(1)</script>&#39;`);
  expect(html.match(/<script/g)).toHaveLength(1);
  expect(html).toEndWith(
    `render("a&#39;\\">&lt;script>alert(1)&lt;/script>&amp;#39;", "{{shadowRootId}}")'></script>`,
  );
});

test('a bundling error only fails the request, and the components are bundled once the error is fixed', async () => {
  await using service = await project();
  for (const graph of ['broken', 'later']) {
    const response = await service.post(graph, { name: 'gone' });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain(service.folder);
  }
  await Bun.write(join(service.folder, 'ui/later.tsx'), 'export default { late: () => null };');
  expect(await service.component('later', 'late')).toContain('__LGUI_later.render("late"');
});
