/** Settings from outside input: command lines, YAML files, `.env` files, references to variables, and langgraph.json. */
import { afterAll, expect } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { readOptions } from '../../cli/commands/db/read-options.ts';
import { checkedThreadId } from '../../cli/commands/threads/query.ts';
import { readGraphConfigs } from '../../graphs/discovery/graph-configs.ts';
import { readLangGraphJson } from '../../graphs/discovery/langgraph-json.ts';
import { readVariables } from '../../settings/environment/variables.ts';
import { readYaml } from '../../settings/files/files.ts';
import { repeatedKey } from '../../settings/files/repeated-key.ts';
import { substitute } from '../../settings/files/substitute.ts';
import { type Flag, readArguments } from '../../settings/flags.ts';
import { SkeinError } from '../../state/errors.ts';
import { addressOf, addressText } from '../../tools/knowledge/storage/address.ts';
import { anyOrder, anyText, edited, property } from '../support/property.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-settings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The reader's result, or its CONFIGURATION_ERROR. */
function read<T>(work: () => T): { value: T } | { error: SkeinError } {
  try {
    return { value: work() };
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    expect(error.code).toBe('CONFIGURATION_ERROR');
    return { error };
  }
}

const FLAGS: Flag[] = [{ name: '--port', takes: '8080' }, { name: '--name', takes: 'x' }, { name: '--json' }];
const value = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.startsWith('-'));
const word = fc.string({ unit: 'grapheme' }).filter((text) => !text.startsWith('-'));

property(
  'a command line is parsed into the values it was made from',
  [fc.option(value), fc.option(value), fc.boolean(), fc.array(word), fc.boolean()],
  (port, name, isJson, words, joined) => {
    const flag = (key: string, value: string | null) =>
      value === null ? [] : joined ? [`${key}=${value}`] : [key, value];
    const argv = [...flag('--port', port), ...words, ...(isJson ? ['--json'] : []), ...flag('--name', name)];
    const { given, words: read } = readArguments(argv, FLAGS);
    const expected = { '--port': port, '--name': name, '--json': isJson ? '' : null };
    expect(Object.fromEntries(given)).toEqual(
      Object.fromEntries(Object.entries(expected).filter(([, text]) => text !== null)) as never,
    );
    expect(read).toEqual(words);
  },
);

const ARGUMENTS = [
  '--port',
  '--port=',
  '--port=1',
  '--json',
  '--json=1',
  '--no-json',
  '--',
  '-',
  '-p',
  '--x',
  '--__proto__',
  '=',
  'secret-value',
  '1',
  '',
];

property(
  'any other command line is rejected without showing its values',
  [fc.array(fc.oneof(fc.constantFrom(...ARGUMENTS), anyText), { maxLength: 6 })],
  (argv) => {
    const found = read(() => readArguments(argv, FLAGS));
    if ('error' in found) return expect(found.error.message).not.toContain('secret-value');
    for (const [name, text] of found.value.given) expect(text === '').toBe(name === '--json');
    expect(argv).toEqual(expect.arrayContaining(found.value.words));
  },
);

const yamlKey = fc.stringMatching(/^[a-z]{1,6}$/);
const tree = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constantFrom('yes', '~', '1', 'null', '- a', 'a: b', '$X', '#'),
    ),
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(yamlKey, tie('node'), { maxKeys: 4 }),
  ),
})).node;
const file = join(folder, 'config.yml');

property('a generated YAML file is read with the same content', [fc.dictionary(yamlKey, tree)], (value) => {
  writeFileSync(file, Bun.YAML.stringify(value, null, 2));
  expect(readYaml(file)).toEqual(value);
});

const YAML = [
  'a:',
  'b: 1',
  '- ',
  '  ',
  '\n',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  '|',
  '>',
  '&x',
  '*x',
  '<<: ',
  '!!str',
  '---',
  '#',
  '\t',
  ': ',
  ',',
  '? ',
  '%YAML',
  '\u0000',
  'é',
];

property(
  'any YAML file is read, or rejected with its name',
  [
    fc.oneof(
      edited(fc.constantFrom('a: 1\nb:\n  - x\n  - y: z\n', 'a: {b: [1, 2]}\n'), YAML),
      anyOrder(YAML, 20),
    ),
  ],
  (text) => {
    writeFileSync(file, text);
    const found = read(() => readYaml(file));
    if ('error' in found) expect(found.error.message).toContain('config.yml');
    else expect(repeatedKey(text)).toBeUndefined();
  },
  { costs: 3 },
);

property(
  'exactly the duplicate keys are found',
  [fc.uniqueArray(yamlKey, { minLength: 2, maxLength: 6 }), fc.nat(), fc.boolean()],
  (keys, at, repeats) => {
    const again = keys[at % (keys.length - 1)] ?? '';
    const lines = [...keys, ...(repeats ? [again] : [])].map((key, index) => `${key}: ${index}`);
    const expected = { key: again, line: keys.length + 1, first: keys.indexOf(again) + 1 };
    expect(repeatedKey(lines.join('\n'))).toEqual(repeats ? expected : undefined);
  },
);

const name = fc.stringMatching(/^[A-Z][A-Z_]{0,6}$/);

property(
  'a reference is replaced once, by a variable or its default',
  [name, fc.string(), fc.string().filter((text) => !text.includes('}')), fc.string()],
  (key, text, fallback, around) => {
    fc.pre(!around.includes('$'));
    const variable = { text: `${text}\${OTHER}`, origin: { source: 'test', folder } };
    const written = `${around}\${${key}:${fallback}}${around}`;
    expect(substitute({ a: [written] }, new Map([[key, variable]])).value).toEqual({
      a: [`${around}${variable.text}${around}`],
    });
    expect(substitute(written, new Map()).value).toBe(around + fallback + around || null);
    expect(substitute(`\${${key}}`, new Map()).problems).toHaveLength(1);
  },
);

property('a text without references is unchanged', [anyText], (text) => {
  fc.pre(text !== '' && !/\$\{[A-Za-z_]\w*(:[^}]*)?\}/.test(text));
  expect(substitute({ text }, new Map())).toMatchObject({ value: { text }, problems: [] });
});

property(
  'the real environment takes precedence over the file, and an empty variable counts as unset',
  [fc.dictionary(name, fc.stringMatching(/^[a-z0-9 ${}]*$/)), fc.dictionary(name, fc.string())],
  (written, env) => {
    const path = join(folder, '.env');
    writeFileSync(
      path,
      Object.entries(written)
        .map(([key, text]) => `${key}='${text}'\n`)
        .join(''),
    );
    const variables = readVariables(path, { cwd: folder, env });
    const expected = {
      ...written,
      ...Object.fromEntries(Object.entries(env).filter(([, text]) => text !== '')),
    };
    for (const [key, text] of Object.entries(expected))
      expect(variables.get(key)?.text).toBe(text || undefined);
    expect([...variables.keys()].every((key) => expected[key] !== '')).toBeTrue();
  },
);

const JSON_PIECES = [
  '{',
  '}',
  ',',
  '"graphs":',
  '"a":',
  '"./a.ts:g"',
  'null',
  '[]',
  '1',
  '//',
  '\ufeff',
  '"env":',
  '{"A":1}',
  '"store":',
  '"http":{"app":1}',
];
const langgraph = fc.constantFrom(
  '{"graphs": {"a": "./a.ts:graph"}, "env": {"A": "b"}}',
  '{"graphs": {}, "store": {"ttl": {"default_ttl": 5}}, "dependencies": ["."]}',
);
const json = join(folder, 'langgraph.json');

property(
  'any langgraph.json is read, or rejected with its name',
  [fc.oneof(edited(langgraph, JSON_PIECES), anyOrder(JSON_PIECES, 12), fc.json())],
  async (text) => {
    writeFileSync(json, text);
    try {
      const { graphs, env } = await readLangGraphJson(json);
      for (const { name: graph } of graphs)
        expect(Object.keys(JSON.parse(text.replace(/^\ufeff/, '')).graphs)).toContain(graph);
      for (const value of Object.values(env)) expect(value).toBeString();
    } catch (error) {
      if (!(error instanceof SkeinError)) throw error;
      expect([error.code, error.message.includes('langgraph.json')]).toEqual(['CONFIGURATION_ERROR', true]);
    }
  },
  { costs: 3 },
);

property(
  'the configs of graphs equal those in the JSON, or a problem is reported',
  [fc.oneof(fc.json(), anyOrder(['{', '}', '"a":', '"configurable":', '"context":', '{}', '1', ' '], 12))],
  (text) => {
    const { configs, problems } = readGraphConfigs(text, 'env.LANGGRAPH_CONFIG');
    if (problems.length === 0) expect(configs).toEqual(text.trim() === '' ? {} : JSON.parse(text));
    for (const { path } of problems) expect(path).toStartWith('env.LANGGRAPH_CONFIG');
  },
);

property(
  'an address of an object store is formatted as it was parsed',
  [
    fc.oneof(
      anyOrder(['s3', 'az', 'gs', '://', 'bucket', 'my.docs', '/', '..', 'a b', 'é', '%2f', '.'], 8),
      anyText,
    ),
  ],
  (text) => {
    const address = addressOf(text);
    if (!address) return;
    expect(addressOf(addressText(address))).toEqual(address);
    expect(addressText(address)).toBe(text.endsWith('/') ? text : `${text}/`);
    expect(address.prefix.split('/')).not.toContain('..');
  },
);

property(
  'options of an import and thread ids are valid or rejected',
  [
    fc.dictionary(
      fc.constantFrom('--delimiter', '--encoding', '--decimal', '--date-format', '--null'),
      fc.oneof(
        anyText,
        fc.constantFrom('tab', ';', 'cp1252', 'latin-1', 'constructor', '__proto__', ',', '%d'),
      ),
    ),
  ],
  (options) => {
    const found = read(() => readOptions(new Map(Object.entries(options))));
    if ('error' in found) return;
    const { delimiter, encoding, decimal, nulls } = found.value;
    if (delimiter !== undefined) expect(delimiter).toMatch(/^[^\r\n"]{1,4}$/);
    if (encoding !== undefined)
      expect(new TextDecoder(encoding as 'utf-8').encoding).toBe(encoding as 'utf-8');
    expect(['.', ',']).toContain(decimal);
    expect(nulls).not.toContain('');
  },
);

property(
  'an accepted thread id is unchanged in a URL',
  [fc.oneof(anyText, anyOrder(['a', '.', ':', '-', '_', '/', '%', 'é', '\n'], 10))],
  (id) => {
    const found = read(() => checkedThreadId(id, 'thread'));
    expect('value' in found).toBe(/^[A-Za-z0-9._:-]+$/.test(id) && id.length <= 128 && !id.endsWith('\n'));
    if ('value' in found) expect(decodeURIComponent(encodeURIComponent(id))).toBe(id);
  },
);
