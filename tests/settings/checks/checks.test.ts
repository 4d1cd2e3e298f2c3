/** Which settings are rejected, with which messages, and that no message shows a value. */
import { describe, expect, test } from 'bun:test';
import { type TSchema, Type } from '@sinclair/typebox';
import { Settings } from '../../../settings/schema.ts';
import { checkOptions } from '../../../state/schema/check-options.ts';
import { project, refusalOf } from '../project.ts';

const CANARY = 'canary-7f3a';
const SECRET = 'x'.repeat(32);

interface Field {
  path: string;
  schema: TSchema;
}

/** Every field of a schema, with the entries of lists at index 0 and workflows under the name `w`. */
function fieldsOf(schema: TSchema, path = ''): Field[] {
  const entries: [string, TSchema][] = schema.items
    ? [[`${path}[0]`, schema.items]]
    : Object.entries<TSchema>(schema.properties ?? workflow(schema)).map(([key, field]) => [
        path ? `${path}.${key}` : key,
        field,
      ]);
  return entries.flatMap(([at, field]) => [{ path: at, schema: field }, ...fieldsOf(field, at)]);
}

function workflow(schema: TSchema): Record<string, TSchema> {
  return Object.fromEntries(
    Object.values<TSchema>(schema.patternProperties ?? {}).map((field) => ['w', field]),
  );
}

const FIELDS = fieldsOf(Settings);

test('every field has a description', () => {
  expect(FIELDS.length).toBeGreaterThan(90);
  expect(FIELDS.filter(({ schema }) => !schema.description).map(({ path }) => path)).toEqual([]);
});

test('every mapping except those of workflows rejects unknown keys', () => {
  const open = FIELDS.filter(
    ({ schema }) => schema.type === 'object' && schema.additionalProperties !== false,
  );
  expect(open.map(({ path }) => path)).toEqual(['workflows.w']);
});

test('every number has bounds', () => {
  const numbers = FIELDS.filter(({ schema }) => schema.type === 'integer' || schema.type === 'number');
  expect(
    numbers.filter(
      ({ schema: { minimum, exclusiveMinimum } }) => (minimum ?? exclusiveMinimum) === undefined,
    ),
  ).toEqual([]);
});

describe('a value of the wrong type is rejected by its path and never shown', () => {
  test.each(FIELDS.map(({ path, schema }) => [path, schema] as const))('%s', (path, schema) => {
    const isContainer = schema.type === 'object' || schema.type === 'array';
    const bad = isContainer ? CANARY : schema.type === 'string' ? [CANARY] : `${CANARY}`;
    const message = project({ 'config.yml': JSON.stringify(nested(path, bad)) }).refusal();
    expect(message).toContain(`Validation error in field '${path}': expected `);
    expect(message).toContain('(config.yml)');
    expect(message).not.toContain(CANARY);
  });

  test.each(FIELDS.filter(({ schema }) => schema.pattern).map(({ path }) => path))('%s as text', (path) => {
    const message = project({ 'config.yml': JSON.stringify(nested(path, `${CANARY} :`)) }).refusal();
    expect(message).toContain(`Validation error in field '${path}': expected `);
    expect(message).not.toContain(CANARY);
  });
});

function nested(path: string, value: unknown): unknown {
  return path
    .split(/\.|(?=\[0\])/)
    .reduceRight<unknown>((inner, key) => (key === '[0]' ? [inner] : { [key]: inner }), value);
}

describe('the message', () => {
  test.each([
    ['web_configuration: {port: 70000}', "'web_configuration.port': expected an integer from 0 to 65535"],
    ['web_configuration: {port: 80.5}', "'web_configuration.port': expected an integer from 0 to 65535"],
    ['web_configuration: {port: true}', "'web_configuration.port': expected an integer from 0 to 65535"],
    [
      'limits: {run_seconds: 0}',
      "'limits.run_seconds': expected a number greater than 0 and of at most 86400",
    ],
    ['limits: {run_tokens: 0}', "'limits.run_tokens': expected an integer of at least 1"],
    ['memory: {summarise: maybe}', "'memory.summarise': expected true or false"],
    ['memory: {summarise: 1}', "'memory.summarise': expected true or false"],
    ['telemetry: {log_format: xml}', "'telemetry.log_format': expected one of json, pretty"],
    ['web_configuration: {host: 5}', "'web_configuration.host': expected text that is not empty, in quotes"],
    [
      'web_configuration: {cors_origins: "a,b"}',
      "'web_configuration.cors_origins': expected a list, or JSON text of one",
    ],
    [
      'web_configuration: {tls: {cert: a}}',
      "'web_configuration.tls.key': missing, expected text that is not empty",
    ],
    ['models: [{role: chat}]', "'models[0].model': missing, expected text that is not empty"],
    ['chat_history: 5', "'chat_history': expected a mapping of fields"],
    ['web_configuration: {prot: 1}', "'web_configuration.prot': unknown key, did you mean 'port'?"],
    ['wokflows: {}', "'wokflows': unknown key, did you mean 'workflows'?"],
    [
      'memory: {qqqqqq: 1}',
      "'memory.qqqqqq': unknown key, known keys are window_messages, window_tokens, summarise",
    ],
    ['workflows: {"a b": {}}', "'workflows.a b': this name is not allowed"],
  ])('%s', (yaml, sentence) => {
    expect(project({ 'config.yml': yaml }).refusal()).toBe(
      `Validation error in field ${sentence} (config.yml)`,
    );
  });

  test('every problem has a line', () => {
    const yaml = 'web_configuration: {prot: 1}\nmodels: [{model: a, temperature: 9}]';
    expect(
      project({ 'config.yml': yaml })
        .refusal({ env: { WEB_PORT: 'x' } })
        .split('\n'),
    ).toEqual([
      "Validation error in field 'web_configuration.prot': unknown key, did you mean 'port'? (config.yml)",
      "Validation error in field 'web_configuration.port': expected an integer from 0 to 65535 (environment WEB_PORT)",
      "Validation error in field 'models[0].temperature': expected a number from 0 to 2 (config.yml)",
    ]);
  });
});

describe('authentication', () => {
  const PREFIX = 'SERVICE_WEB_CONFIGURATION__AUTHENTICATION__';
  const refusal = (fields: string) =>
    project({ 'config.yml': `web_configuration: {authentication: {enable: true, ${fields}}}` }).refusal();

  test('requires a name, a password and a secret if it is on', () => {
    const line = (field: string) =>
      `Validation error in field 'web_configuration.authentication.${field}': missing; authentication is enabled and needs it. Set ${PREFIX}${field.toUpperCase()}`;
    expect(refusal('').split('\n')).toEqual(['username', 'password', 'jwt_secret_key'].map(line));
    expect(refusal(`username: a, jwt_secret_key: ${SECRET}`)).toBe(line('password'));
    expect(refusal(`username: a, password: "\${PW:}", jwt_secret_key: ${SECRET}`)).toBe(line('password'));
  });

  test('requires a secret of at least 32 bytes', () => {
    expect(refusal(`username: a, password: b, jwt_secret_key: ${SECRET.slice(1)}`)).toBe(
      `Validation error in field 'web_configuration.authentication.jwt_secret_key': expected at least 32 bytes; authentication is enabled and needs it. Set ${PREFIX}JWT_SECRET_KEY`,
    );
  });

  test('counts bytes, not characters', () => {
    const env = {
      [`${PREFIX}ENABLE`]: 'true',
      [`${PREFIX}USERNAME`]: 'a',
      [`${PREFIX}PASSWORD`]: 'b',
      [`${PREFIX}JWT_SECRET_KEY`]: 'é'.repeat(16),
    };
    expect(project().load({ env }).settings.web_configuration.authentication.enable).toBe(true);
  });

  const OIDC = 'oidc: {issuer: "https://login.example.org", audience: skein}';

  test('requires no login if there is an issuer, but a complete one if a part of it is set', () => {
    const loaded = (fields: string) =>
      project({ 'config.yml': `web_configuration: {authentication: {enable: true, ${fields}}}` }).load();
    const { oidc } = loaded(OIDC).settings.web_configuration.authentication;
    expect(oidc).toEqual({ issuer: 'https://login.example.org', audience: 'skein', owner_claim: 'sub' });
    expect(refusal(`${OIDC}, username: a, password: b`)).toContain('authentication.jwt_secret_key');
    expect(refusal(`${OIDC}, password: b, jwt_secret_key: ${SECRET}`)).toContain('authentication.username');
  });

  test.each([
    ['oidc: {issuer: login.example.org, audience: x}', 'oidc.issuer', 'a URL without a query'],
    ['oidc: {issuer: "https://a:b@example.org", audience: x}', 'oidc.issuer', 'a URL without a query'],
    ['oidc: {issuer: "https://example.org?x=y", audience: x}', 'oidc.issuer', 'a URL without a query'],
    ['oidc: {issuer: "https://[", audience: x}', 'oidc.issuer', 'expected a URL'],
    ['oidc: {issuer: "https://example.org"}', 'oidc.audience', 'missing'],
    ['oidc: {issuer: "https://example.org", audience: x, keys: []}', 'oidc.keys', ''],
    ['operators: [bob]', 'operators[0]', 'expected a caller such as user:ann'],
    ['operators: ["user:"]', 'operators[0]', 'expected a caller such as user:ann'],
  ])('rejects %s', (fields, field, reason) => {
    const text = refusal(`username: a, password: b, jwt_secret_key: ${SECRET}, ${fields}`);
    expect(text).toContain(`'web_configuration.authentication.${field}'`);
    expect(text).toContain(reason);
  });

  test('requires nothing if it is off', () => {
    const { load } = project({
      'config.yml': 'web_configuration: {authentication: {jwt_secret_key: short}}',
    });
    expect(load().settings.web_configuration.authentication.enable).toBe(false);
  });

  test.each(['$argon2id$v=19$m=65536,t=2,p=1$c2FsdA', '$argon2id$cut', '$2b$10$abc', 'secret'])(
    'rejects a password hash that no password can match: %p',
    (hash) => {
      const yaml = `web_configuration: {authentication: {users: [{username: bob, password_hash: ${JSON.stringify(hash)}}]}}`;
      expect(project({ 'config.yml': yaml }).refusal()).toBe(
        "Validation error in field 'web_configuration.authentication.users[0].password_hash': expected an argon2id hash, as `skein users hash` prints it (config.yml)",
      );
    },
  );

  test('rejects duplicate names', () => {
    const hash = '$argon2id$v=19$m=65536,t=2,p=1$c2FsdA$aGFzaA';
    const yaml = `web_configuration:
  authentication:
    username: ann
    users: [{username: bob, password_hash: ${JSON.stringify(hash)}}, {username: ann, password_hash: ${JSON.stringify(hash)}}]
    api_keys: [{name: ci, sha256: ${'a'.repeat(64)}}, {name: ci, sha256: ${'b'.repeat(64)}}]`;
    expect(project({ 'config.yml': yaml }).refusal()).toBe(
      "Validation error in field 'web_configuration.authentication.users[1].username': must be unique\n" +
        "Validation error in field 'web_configuration.authentication.api_keys[1].name': must be unique",
    );
  });
});

describe('checkOptions', () => {
  const Options = Type.Object(
    {
      categories: Type.Array(Type.Object({ name: Type.String() }), { default: [{ name: 'other' }] }),
      max_rows: Type.Integer({ default: 200, minimum: 1 }),
      threshold: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
    },
    { additionalProperties: false },
  );

  test('fills in defaults and converts strings, without changing its argument', () => {
    const options = { max_rows: '5', threshold: '0.5' };
    expect(checkOptions(Options, options, 'workflows.x')).toEqual({
      categories: [{ name: 'other' }],
      max_rows: 5,
      threshold: 0.5,
    });
    expect(options).toEqual({ max_rows: '5', threshold: '0.5' });
    expect(checkOptions(Options, undefined, 'workflows.x').max_rows).toBe(200);
  });

  test('names the dotted path of a rejected value', () => {
    expect(
      refusalOf(() => checkOptions(Options, { max_row: 1, categories: [{ name: 1 }] }, 'workflows.x')),
    ).toBe(
      "Validation error in field 'workflows.x.max_row': unknown key, did you mean 'max_rows'?\n" +
        "Validation error in field 'workflows.x.categories[0].name': expected text, in quotes",
    );
    expect(refusalOf(() => checkOptions(Options, 'canary', 'workflows.x'))).toBe(
      "Validation error in field 'workflows.x': expected a mapping of fields, or JSON text of one",
    );
  });

  test('works on combined schemas', () => {
    const Both = Type.Intersect([
      Type.Object({ a: Type.Integer({ default: 1 }) }),
      Type.Object({ b: Type.Boolean() }),
    ]);
    expect(checkOptions(Both, { b: 'true' }, 'x')).toEqual({ a: 1, b: true });
  });
});
