/** Samples of data blocks in the studio: they have the shape that the service sends, so a preview shows what is sent. */
import { expect, test } from 'bun:test';
import { Glob } from 'bun';
import { withDataSamples } from '../../studio/prompts/preview/data-samples.ts';
import { sampleVariables } from '../../studio/prompts/preview/sample-variables.ts';
import { withPointers } from '../../tools/text/block.ts';

const DATA = ['passages', 'question', 'schema', 'refusal', 'result', 'facts', 'texts', 'suggestions'];

test('in each shipped template, exactly the data variables are previewed as blocks', async () => {
  const seen = new Set<string>();
  for (const folder of ['graphs', 'cli/template/bike-insights/graphs'])
    for await (const path of new Glob('*/prompts/*.jinja').scan(folder)) {
      const file = path.split('/').at(-1) ?? '';
      const samples = withDataSamples(file, sampleVariables(await Bun.file(`${folder}/${path}`).text()));
      const pointers = withPointers(samples);
      for (const [name, sample] of Object.entries(samples)) {
        expect([file, name, pointers[name] !== sample]).toEqual([file, name, DATA.includes(name)]);
        seen.add(name);
      }
    }
  expect([...seen]).toEqual(expect.arrayContaining(DATA));
});

test('in a workflow of the project, a variable with the same name is plain text', () => {
  expect(withDataSamples('haiku.poet.jinja', { question: 'question' })).toEqual({ question: 'question' });
  expect(withDataSamples('constructor.x.jinja', { name: 'name' })).toEqual({ name: 'name' });
});
