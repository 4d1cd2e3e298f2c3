/** The configured models: found by name, each with its fallbacks and its breaker, or the built-in model if none is configured. */
import { expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import { openModels } from '../../../tools/models/models.ts';
import { sharedProvider } from '../../support/shared-provider.ts';
import { detailOf, modelAt, REQUEST, recordedRun, refusal } from './scripted.ts';

const provider = sharedProvider(() => () => 'ok');

const named = (model: string, more = {}) => modelAt(provider.url, { model, max_retries: 0, ...more });

test('without a name, the first chat model is used', async () => {
  const models = openModels([named('e', { role: 'embedding' }), named('a'), named('b')]);
  expect(models.offline).toBe(false);
  expect(models.chat()?.name).toBe('a');
  expect(await models.chat('b')?.answer(REQUEST, recordedRun())).toMatchObject({ text: 'ok', model: 'b' });
});

test('an unknown name returns undefined', () => {
  const models = openModels([named('a'), named('e', { role: 'embedding' })]);
  expect([models.chat('e'), models.chat('x'), models.chat('')]).toEqual([undefined, undefined, undefined]);
});

test('the fallbacks of a model are called in the listed order', async () => {
  const models = openModels([named('a', { fallbacks: ['c', 'b'] }), named('b'), named('c')]);
  provider.script = ({ model }) => (model === 'b' ? 'from b' : refusal(500));
  expect(await models.chat('a')?.answer(REQUEST, recordedRun())).toMatchObject({
    text: 'from b',
    model: 'b',
  });
  expect(provider.requests.map(({ model }) => model)).toEqual(['a', 'c', 'b']);
});

test('each model has one breaker for all callers', async () => {
  const models = openModels([named('a'), named('b')]);
  provider.script = () => refusal(500);
  for (let count = 0; count < 5; count++) {
    const call = models.chat('a')?.answer(REQUEST, recordedRun());
    await detailOf(Promise.resolve(call));
  }
  expect(models.states()).toEqual([
    { model: 'a', state: 'open' },
    { model: 'b', state: 'closed' },
  ]);
});

test('the mode of structured output is remembered per model for all callers', async () => {
  const models = openModels([named('a')]);
  provider.script = ({ response_format }) =>
    response_format ? refusal(400, { param: 'response_format' }) : { n: 1 };
  const shape = { name: 'number', schema: Type.Object({ n: Type.Number() }) };
  for (let count = 0; count < 2; count++) await models.chat('a')?.extract(REQUEST, shape, recordedRun());
  expect(provider.requests.map(({ tools }) => tools !== undefined)).toEqual([false, true, true]);
});

test('without a chat model, the built-in one answers without using the network', async () => {
  const models = openModels([named('e', { role: 'embedding' })]);
  expect([models.offline, models.chat()?.name]).toEqual([true, 'skein-offline']);
  expect(await models.chat()?.answer(REQUEST, recordedRun())).toMatchObject({ model: 'skein-offline' });
  expect(provider.requests).toHaveLength(0);
});

test('a custom `fetch` replaces the network', async () => {
  const urls: string[] = [];
  const models = openModels([named('a')], async (input) => {
    urls.push(String(input));
    return Response.json({ choices: [{ message: { content: 'scripted' }, finish_reason: 'stop' }] });
  });
  expect(await models.chat()?.answer(REQUEST, recordedRun())).toMatchObject({ text: 'scripted' });
  expect(urls).toEqual([`${provider.url}/chat/completions`]);
});
