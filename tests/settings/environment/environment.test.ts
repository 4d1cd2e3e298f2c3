/** Settings from environment variables, and references to variables in the files. */
import { describe, expect, test } from 'bun:test';
import { configurationWarnings } from '../../../cli/service/checks/warnings.ts';
import { parseFlags } from '../../../settings/flags.ts';
import { project, refusalOf } from '../project.ts';

describe('SERVICE_<BLOCK>__<FIELD>', () => {
  test('is converted to the type of the field', () => {
    const { settings } = project().load({
      env: {
        SERVICE_WEB_CONFIGURATION__PORT: '8080',
        SERVICE_MEMORY__SUMMARISE: 'False',
        SERVICE_LIMITS__RUN_SECONDS: '0.5',
        SERVICE_WEB_CONFIGURATION__AUTHENTICATION__PASSWORD: '12345',
        service_web_configuration__cors_origins: '["https://a"]',
        SERVICE_TELEMETRY: '{"log_level": "warn", "capture_content": "true"}',
      },
    });
    expect(settings.web_configuration).toMatchObject({ port: 8080, cors_origins: ['https://a'] });
    expect(settings.web_configuration.authentication.password).toBe('12345');
    expect(settings.memory.summarise).toBe(false);
    expect(settings.limits.run_seconds).toBe(0.5);
    expect(settings.telemetry).toMatchObject({ log_level: 'warn', capture_content: true });
  });

  test.each(['8080.5', '1e99', 'true', 'port', '0x50'])(
    'never loses information: %s is not a port',
    (text) => {
      expect(project().refusal({ env: { SERVICE_WEB_CONFIGURATION__PORT: text } })).toBe(
        "Validation error in field 'web_configuration.port': expected an integer from 0 to 65535 (environment SERVICE_WEB_CONFIGURATION__PORT)",
      );
    },
  );

  test('sets list entries by index and extends the list', () => {
    const { load, refusal } = project({ 'config.yml': 'models: [{model: a, base_url: "http://a"}]' });
    const env = {
      SERVICE_MODELS__0__TEMPERATURE: '1',
      SERVICE_MODELS__1__MODEL: 'b',
      SERVICE_MODELS__1__BASE_URL: 'http://b',
    };
    const { settings, sources } = load({ env });
    expect(settings.models.map(({ model, temperature }) => [model, temperature])).toEqual([
      ['a', 1],
      ['b', undefined],
    ]);
    expect(sources['models[0].model']).toBe('config.yml');
    expect(sources['models[1].model']).toBe('environment SERVICE_MODELS__1__MODEL');
    expect(refusal({ env: { SERVICE_MODELS__5__MODEL: 'b' } })).toBe(
      "Validation error in field 'models[5]': the list has 1 entries, so the next index is 1 (environment SERVICE_MODELS__5__MODEL)",
    );
  });

  test('sorts indices as numbers', () => {
    const env = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [
        `SERVICE_WEB_CONFIGURATION__TRUSTED_PROXIES__${i}`,
        `10.0.0.${i}`,
      ]),
    );
    expect(project().load({ env }).settings.web_configuration.trusted_proxies[11]).toBe('10.0.0.11');
  });

  test('names workflows with underscores and sets their options', () => {
    const { settings } = project({
      'config.yml': 'workflows: {Classification_Agent: {temperature: 1}}',
    }).load({
      env: {
        SERVICE_WORKFLOWS__CLASSIFICATION_AGENT__MODEL: 'gpt',
        SERVICE_WORKFLOWS__CLASSIFICATION_AGENT__CATEGORIES__0__NAME: 'billing',
      },
    });
    expect(settings.workflows as unknown).toEqual({
      'classification-agent': {
        prompt_revision: 'default',
        followup_questions: false,
        replaces_core: false,
        temperature: 1,
        model: 'gpt',
        categories: [{ name: 'billing' }],
      },
    });
  });

  test('finds workflows by either spelling, and takes precedence over the file', () => {
    const { load } = project({
      'config.yml': 'workflows: {sql-manipulation-agent: {model: a, temperature: 1}}',
    });
    const { settings } = load({ env: { SERVICE_WORKFLOWS: '{"sql_manipulation_agent": {"model": "b"}}' } });
    expect(settings.workflows).toMatchObject({ 'sql-manipulation-agent': { model: 'b', temperature: 1 } });
  });

  test('is rejected with the nearest known name if it is unknown', () => {
    const { refusal } = project();
    expect(refusal({ env: { SERVICE_WEB_CONFIGURATION__PROT: '1' } })).toBe(
      "Validation error in field 'web_configuration.prot': unknown key, did you mean 'port'? (environment SERVICE_WEB_CONFIGURATION__PROT)",
    );
    expect(refusal({ env: { SERVICE_WEB_CONFIG__PORT: '1' } })).toBe(
      "Validation error in field 'web_config': unknown key, did you mean 'web_configuration'? (environment SERVICE_WEB_CONFIG__PORT)",
    );
    expect(refusal({ env: { SERVICE_0__PORT: '1' } })).toContain(
      "Validation error in field '0': unknown key",
    );
    expect(refusal({ env: { SERVICE_WEB_CONFIGURATION__PORT__X: '1' } })).toContain(
      "'web_configuration.port': expected",
    );
  });

  test('without __, is ignored unless it is a whole block', () => {
    expect(
      project().load({ env: { SERVICE_HOST: 'kubernetes', SERVICE_PORT: '1' } }).settings.web_configuration
        .port,
    ).toBe(80);
  });
});

describe(`\${VAR} inside the files`, () => {
  const port = (text: string) =>
    project({ 'config.yml': `web_configuration: {port: "${text}"}`, '.env': 'PORT=81' });

  test('is replaced and then converted', () => {
    expect(port(`\${PORT}`).load().settings.web_configuration.port).toBe(81);
    expect(port(`\${PORT}`).load({ env: { PORT: '82' } }).settings.web_configuration.port).toBe(82);
    expect(port(`\${OTHER:83}`).load().settings.web_configuration.port).toBe(83);
    expect(port(`\${OTHER:}`).load().settings.web_configuration.port).toBe(80);
    expect(port(`1\${OTHER:0}\${PORT}`).load().settings.web_configuration.port).toBe(1081);
    const list = project({ 'config.yml': `web_configuration: {cors_origins: "\${ORIGINS}"}` });
    expect(list.load({ env: { ORIGINS: '["https://a"]' } }).settings.web_configuration.cors_origins).toEqual([
      'https://a',
    ]);
  });

  test('is rejected if it is unset and has no default, once for each field', () => {
    const { refusal } = project({
      'config.yml': `models:\n  - {model: a, api_key: "\${KEY}"}\nlimits: {recursion: "\${N}"}`,
    });
    expect(refusal()).toBe(
      "Validation error in field 'models[0].api_key': environment variable KEY is not set, and no default is given (config.yml)\n" +
        "Validation error in field 'limits.recursion': environment variable N is not set, and no default is given (config.yml)",
    );
  });

  test('is not replaced in the value of a variable', () => {
    const odd = `a$b\${HOME}$1$&\${X:y}`;
    const { load } = project({
      'config.yml': `cloud_search: {api_key: "\${KEY}"}\nlocal_sql_db: {seed_samples: true}`,
      '.env': `SERVICE_WEB_CONFIGURATION__AUTHENTICATION__PASSWORD='${odd}'`,
    });
    const { settings } = load({ env: { KEY: odd, SERVICE_CLOUD_SEARCH__INDEX_NAME: odd } });
    expect(settings.cloud_search).toEqual({ api_key: odd, index_name: odd });
    expect(settings.web_configuration.authentication.password).toBe(odd);
  });

  test('leaves text unchanged that only looks like a reference', () => {
    const { load } = project({ 'config.yml': `cloud_search: {api_key: "$a\${b$\${1}$"}` });
    expect(load().settings.cloud_search?.api_key).toBe(`$a\${b$\${1}$`);
  });
});

describe('SQL_USERNAME and SQL_PASSWORD', () => {
  const env = { SQL_USERNAME: 'u', SQL_PASSWORD: 'p' };

  test('fill a cloud_sql block that names a database', () => {
    const { settings, sources } = project({
      'config.yml': 'cloud_sql: {database_name: sales, password: old}',
    }).load({ env });
    expect(settings.cloud_sql).toEqual({ database_name: 'sales', username: 'u', password: 'p' });
    expect(sources['cloud_sql.password']).toBe('environment SQL_PASSWORD');
  });

  test('are ignored if the local database is used', () => {
    expect(project().load({ env }).settings.cloud_sql).toBeUndefined();
    const skipped = project({ 'config.yml': 'cloud_sql: {database_name: skip}' }).load({ env });
    expect(skipped.settings.cloud_sql).toEqual({ database_name: 'skip' });
  });
});

describe('flags', () => {
  test('are read with a space or an equals sign, and the last one wins', () => {
    expect(
      parseFlags([
        '--port',
        '1',
        '--port=8080',
        '--host',
        'a=b',
        '--log-level=debug',
        '--log-format',
        'pretty',
      ]),
    ).toEqual({
      'web_configuration.port': '8080',
      'web_configuration.host': 'a=b',
      'telemetry.log_level': 'debug',
      'telemetry.log_format': 'pretty',
    });
    expect(parseFlags(['--config', 'c.yml', '--profiles=p.yml', '--profile', 'dev'])).toEqual({
      config: 'c.yml',
      profiles: 'p.yml',
      profile: 'dev',
    });
    expect(parseFlags([])).toEqual({});
  });

  test.each([
    [['--prot', '1'], "'--prot': unknown flag, did you mean '--port'?"],
    [
      ['--canary=canary'],
      "'--canary': unknown flag, known flags are --port, --host, --config, --profiles, --profile, --log-level, --log-format",
    ],
    [['--port'], "'--port': expected a value, as in --port 8080"],
    [['--port='], "'--port': expected a value, as in --port 8080"],
    [['--host', '--port', '1'], "'--host': expected a value, as in --host 127.0.0.1"],
    [['--host', '--'], "'--host': expected a value, as in --host 127.0.0.1"],
    [
      ['-p=canary'],
      "'-p': unknown flag, known flags are --port, --host, --config, --profiles, --profile, --log-level, --log-format",
    ],
    [
      ['--', '--port=1'],
      "'arguments': expected only flags: --port, --host, --config, --profiles, --profile, --log-level, --log-format",
    ],
    [
      ['canary'],
      "'arguments': expected only flags: --port, --host, --config, --profiles, --profile, --log-level, --log-format",
    ],
  ])('%p are rejected with the name of the flag', (argv, sentence) => {
    expect(refusalOf(() => parseFlags(argv))).toBe(`Validation error in field ${sentence}`);
  });

  test('with an invalid value are named as its source', () => {
    expect(project().refusal({ flags: { 'web_configuration.port': 'canary' } })).toBe(
      "Validation error in field 'web_configuration.port': expected an integer from 0 to 65535 (flag --port)",
    );
  });
});

describe('variables that look like those of the model provider', () => {
  const warned = (env: Record<string, string>, files: Record<string, string> = {}) =>
    configurationWarnings(project(files).load({ env }));

  test.each([
    ['LLM_PROVIDER_APIKEY', 'LLM_PROVIDER_API_KEY'],
    ['LLM_PROVIDER_KEY', 'LLM_PROVIDER_API_KEY'],
    ['LLM_PROVIDER_URL', 'LLM_PROVIDER_BASE_URL'],
    ['LLM_PROVIDER_BASEURL', 'LLM_PROVIDER_BASE_URL'],
    ['LLM_PROVIDER_MODLE', 'LLM_PROVIDER_MODEL'],
    ['LLM_PROVIDER_EMBEDDINGS_MODEL', 'LLM_PROVIDER_EMBEDDING_MODEL'],
    ['LLMPROVIDER_API_KEY', 'LLM_PROVIDER_API_KEY'],
    ['llm_provider_api_key', 'LLM_PROVIDER_API_KEY'],
  ])('%s causes a warning with the nearest known name', (name, meant) => {
    const [sentence, ...others] = warned({ [name]: 'canary' });
    expect([sentence, others]).toEqual([`environment ${name} is ignored; did you mean ${meant}?`, []]);
    const inFile = warned({}, { '.env': `${name}=canary` });
    expect(inFile).toEqual([`environment ${name} in .env is ignored; did you mean ${meant}?`]);
  });

  test('an unrelated name causes a warning with the known names', () => {
    expect(warned({ LLM_PROVIDER_ORGANISATION_OF_A_PROXY: 'x' })).toEqual([
      'environment LLM_PROVIDER_ORGANISATION_OF_A_PROXY is ignored; known variables are LLM_PROVIDER_API_KEY, LLM_PROVIDER_BASE_URL, LLM_PROVIDER_MODEL, LLM_PROVIDER_EMBEDDING_MODEL',
    ]);
  });

  test('variables that are known, empty, or referenced by a file cause no warning', () => {
    const env = { LLM_PROVIDER_BASE_URL: 'http://a', LLM_PROVIDER_MODEL: 'm', LLM_PROVIDER_APIKEY: '' };
    expect(warned(env)).toEqual([]);
    expect(warned({ MY_LLM_PROVIDER_KEY: 'x', OPENAI_API_KEY: 'x' })).toEqual([]);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of the files
    const config = 'models: [{model: m, api_key: "${LLM_PROVIDER_TEAM_KEY}"}]';
    expect(warned({ LLM_PROVIDER_TEAM_KEY: 'x' }, { 'config.yml': config })).toEqual([]);
  });
});
