/** The templates of LangGraph graphs, offline: they answer with their tools, stream their events, and import only a model from Skein. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { streamChat } from '../../../client/client.ts';
import { type TestService, testService } from '../../support/service.ts';
import { templateProject } from '../../support/template.ts';

const TEMPLATES = join(import.meta.dir, '../../../cli/template');

describe.each([
  ['react-agent', 'How many TREK-9 are in stock?', ['get_stock'], ['TREK-9: 2 in stock']],
  [
    'supervisor',
    'Is CITY-3 in stock, and how long does delivery to Munich take?',
    ['get_delivery', 'get_stock'],
    ['CITY-3: 7 in stock', 'To munich: 4 working days'],
  ],
])('%s', (template, question, tools, facts) => {
  let folder = '';
  let service: TestService;
  beforeAll(async () => {
    folder = templateProject(template);
    service = await testService({ folder });
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  test('calls the tools that a question names, and answers with their results', async () => {
    expect(service.service.warnings).toEqual([]);
    const events = await Array.fromAsync(
      streamChat(service.url, { conversation_flow: template, user_prompt: question }),
    );
    const called = events.flatMap(({ event, data }) =>
      event === 'tool' && data.state === 'finished' ? [data.tool] : [],
    );
    expect(called.toSorted()).toEqual(tools);
    const response = events.find(({ event }) => event === 'response')?.data;
    for (const fact of facts)
      expect(response).toHaveProperty('agent_response', expect.stringContaining(fact));
    expect(events.some(({ event }) => event === 'token')).toBe(true);
  });

  test('imports Skein only in one file, for the model', async () => {
    const files = [...new Bun.Glob('graphs/**/*.ts').scanSync(join(TEMPLATES, template))];
    const importing: string[] = [];
    for (const file of files)
      if (/'skein'/.test(await Bun.file(join(TEMPLATES, template, file)).text())) importing.push(file);
    expect(importing).toEqual([`graphs/${template}/model.ts`]);
  });
});
