/** How the list of models is determined. */
import { describe, expect, test } from 'bun:test';
import { project } from './project.ts';

const OPENAI = 'https://api.openai.com/v1';
const KEY = { LLM_PROVIDER_API_KEY: 'k' };
const URL = { LLM_PROVIDER_BASE_URL: 'http://local/v1' };

function listed(yaml: string, env: Record<string, string> = {}) {
  const { settings } = project({ 'config.yml': yaml }).load({ env });
  return settings.models.map(({ model, role, api_key, base_url }) => ({ model, role, api_key, base_url }));
}

describe('with no model in the files', () => {
  test('without variables, there are no models', () => {
    expect(listed('')).toEqual([]);
  });

  test('a key alone means OpenAI', () => {
    expect(listed('', KEY)).toEqual([{ model: 'gpt-4o-mini', role: 'chat', api_key: 'k', base_url: OPENAI }]);
  });

  test('a URL alone means that endpoint without a key', () => {
    expect(listed('', URL)).toEqual([
      { model: 'gpt-4o-mini', role: 'chat', api_key: undefined, base_url: 'http://local/v1' },
    ]);
  });

  test('LLM_PROVIDER_MODEL and LLM_PROVIDER_EMBEDDING_MODEL name the models', () => {
    const env = { ...KEY, ...URL, LLM_PROVIDER_MODEL: 'm', LLM_PROVIDER_EMBEDDING_MODEL: 'e' };
    expect(listed('', env)).toEqual([
      { model: 'm', role: 'chat', api_key: 'k', base_url: 'http://local/v1' },
      { model: 'e', role: 'embedding', api_key: 'k', base_url: 'http://local/v1' },
    ]);
  });

  test('a name without a provider is rejected', () => {
    expect(project().refusal({ env: { LLM_PROVIDER_MODEL: 'm' } })).toBe(
      "Validation error in field 'models[0].api_key': missing; set LLM_PROVIDER_API_KEY, or the api_key or base_url of this model (environment LLM_PROVIDER_MODEL)",
    );
  });

  test('an invalid URL is rejected with the name of its variable', () => {
    expect(project().refusal({ env: { LLM_PROVIDER_BASE_URL: 'canary' } })).toBe(
      "Validation error in field 'models[0].base_url': expected an http or https URL (environment LLM_PROVIDER_BASE_URL)",
    );
  });
});

describe('with models in the files', () => {
  const two =
    'models: [{model: a, api_key: own}, {model: b, base_url: "http://b"}, {model: e, role: embedding, base_url: "http://e"}]';

  test('the environment fills in missing fields, and its key is used only for its endpoint', () => {
    const yaml = two.replace('http://e', 'http://local/v1').replace(']', ', {model: d}]');
    expect(listed(yaml, { ...KEY, ...URL })).toEqual([
      { model: 'a', role: 'chat', api_key: 'own', base_url: 'http://local/v1' },
      { model: 'b', role: 'chat', api_key: undefined, base_url: 'http://b' },
      { model: 'e', role: 'embedding', api_key: 'k', base_url: 'http://local/v1' },
      { model: 'd', role: 'chat', api_key: 'k', base_url: 'http://local/v1' },
    ]);
    expect(listed(two)[0]?.base_url).toBe(OPENAI);
  });

  test('LLM_PROVIDER_MODEL moves its entry to the front or adds one', () => {
    expect(listed(two, { LLM_PROVIDER_MODEL: 'b' }).map(({ model }) => model)).toEqual(['b', 'a', 'e']);
    const env = { ...KEY, LLM_PROVIDER_MODEL: 'c', LLM_PROVIDER_EMBEDDING_MODEL: 'e' };
    expect(listed(two, env).map(({ model }) => model)).toEqual(['e', 'c', 'a', 'b']);
  });

  test('the sources move with their entries', () => {
    const yaml = two.replace(', base_url: "http://b"', '');
    const { sources } = project({ 'config.yml': yaml }).load({ env: { ...KEY, LLM_PROVIDER_MODEL: 'b' } });
    expect(sources['models[0].model']).toBe('config.yml');
    expect(sources['models[0].api_key']).toBe('environment LLM_PROVIDER_API_KEY');
    expect(sources['models[1].api_key']).toBe('config.yml');
    expect(sources['models[1].base_url']).toBe('default');
  });

  test('a chat model is added for a provider if only an embedding model is listed', () => {
    const yaml = 'models: [{model: e, role: embedding}]';
    expect(listed(yaml, KEY).map(({ model, role }) => [model, role])).toEqual([
      ['gpt-4o-mini', 'chat'],
      ['e', 'embedding'],
    ]);
  });

  test('an entry without a key and a URL is rejected with its index in the file', () => {
    const { refusal } = project({ 'config.yml': 'models: [{model: a}, {model: b, base_url: "http://b"}]' });
    const sentence =
      "Validation error in field 'models[0].api_key': missing; set LLM_PROVIDER_API_KEY, or the api_key or base_url of this model (config.yml)";
    expect(refusal()).toBe(sentence);
    expect(refusal({ env: { LLM_PROVIDER_MODEL: 'b' } })).toBe(sentence);
  });

  test('a profile’s entries are merged by model', () => {
    const { load } = project({
      'config.yml':
        'models: [{model: a, temperature: 1, base_url: "http://a"}, {model: b, base_url: "http://b"}]',
      'profiles.yml': '- name: dev\n  models: [{model: c, api_key: k}, {model: a, api_key: secret}]',
    });
    const { settings, sources } = load();
    expect(settings.models.map(({ model }) => model)).toEqual(['a', 'b', 'c']);
    expect(settings.models[0]).toMatchObject({ temperature: 1, base_url: 'http://a', api_key: 'secret' });
    expect(sources['models[0].api_key']).toBe('profile dev in profiles.yml');
    expect(sources['models[0].temperature']).toBe('config.yml');
  });

  test('a fallback must be another listed model of the same role', () => {
    const yaml =
      'models: [{model: a, base_url: "http://a", fallbacks: [b, canary]}, {model: b, base_url: "http://b", fallbacks: [b]}]';
    expect(project({ 'config.yml': yaml }).refusal()).toBe(
      "Validation error in field 'models[0].fallbacks[1]': expected another listed chat model, one of b\n" +
        "Validation error in field 'models[1].fallbacks[0]': expected another listed chat model, one of a",
    );
  });

  test('a cost budget requires a price for every chat model, and every budget requires an amount', () => {
    const yaml = `
models:
  - {model: a, base_url: "http://a", price: {input: 1, output: 2}}
  - {model: b, base_url: "http://b"}
  - {model: e, role: embedding, base_url: "http://e"}
budgets: [{per: day, tokens: 10}, {per: month, cost: 5}, {per: day, caller: "user:ann"}]`;
    expect(project({ 'config.yml': yaml }).refusal()).toBe(
      "Validation error in field 'budgets[2]': expected tokens, cost or both\n" +
        "Validation error in field 'models[1].price': missing; budgets[1].cost needs the price of 'b'",
    );
    const fine = yaml
      .replace('"http://b"}', '"http://b", price: {input: 0, output: 0}}')
      .replace(', {per: day, caller: "user:ann"}', '');
    expect(project({ 'config.yml': fine }).load().settings.budgets).toHaveLength(2);
  });

  test.each([
    ['{per: week, tokens: 1}', 'budgets[0].per'],
    ['{per: day, tokens: 0}', 'budgets[0].tokens'],
    ['{per: day, tokens: 1, caller: ann}', 'budgets[0].caller'],
    ['{per: day, tokens: 1, who: ann}', 'budgets[0].who'],
  ])('a budget %s is rejected with its path', (budget, path) => {
    expect(project({ 'config.yml': `budgets: [${budget}]` }).refusal()).toStartWith(
      `Validation error in field '${path}'`,
    );
  });

  test('the store embeds with a listed embedding model, with the built-in one, or not at all', () => {
    const yaml = (embed: string) =>
      `models: [{model: c, base_url: "http://c"}, {model: e, role: embedding, base_url: "http://e"}]
store: {index: {embed: ${embed}}}`;
    for (const embed of ['e', 'built-in', 'none'])
      expect(project({ 'config.yml': yaml(embed) }).load().settings.store.index).toEqual({
        embed,
        fields: ['$'],
      });
    for (const embed of ['c', 'canary'])
      expect(project({ 'config.yml': yaml(embed) }).refusal()).toBe(
        "Validation error in field 'store.index.embed': expected one of e, built-in, none",
      );
  });

  test('a model that is listed twice is rejected', () => {
    const yaml = 'models: [{model: a, base_url: "http://a"}, {model: a, base_url: "http://b"}]';
    expect(project({ 'config.yml': yaml }).refusal()).toBe(
      "Validation error in field 'models[1].model': must be unique",
    );
  });
});
