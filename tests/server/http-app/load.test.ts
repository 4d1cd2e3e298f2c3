/** Loading the HTTP app of langgraph.json: errors name the file and the export. */
import { expect, test } from 'bun:test';
import { loadHttpApp } from '../../../server/http-app/load.ts';
import { refusalOf, written } from '../../graphs/discovery/written.ts';

async function load(app: string, files: Record<string, string>) {
  const { read, file } = written({ graphs: {}, http: { app } }, files);
  return loadHttpApp({ ...(await read()), file });
}

const APP = { fetch: () => new Response('mine') };

test('a named export or the default export is loaded', async () => {
  const named = `export const app = { fetch: () => new Response('named') };`;
  const files = { 'src/http.mjs': `${named}\nexport default { fetch: ${APP.fetch} };` };
  for (const [app, text] of [
    ['./src/http.mjs:app', 'named'],
    ['./src/http.mjs', 'mine'],
  ] as const) {
    const answer = await load(app, files);
    expect(await (await answer?.(new Request('http://localhost/')))?.text()).toBe(text);
  }
});

test('returns undefined without http.app', async () => {
  expect(await loadHttpApp(undefined)).toBeUndefined();
  const { read } = written({ graphs: {} });
  expect(await loadHttpApp(await read())).toBeUndefined();
});

const REFUSED: [what: string, file: string, text: string | undefined, reason: string][] = [
  ['a file that is missing', 'gone.ts', undefined, 'cannot be loaded: Cannot find module'],
  ['a file that throws', 'throws.ts', `throw new Error('no key is set');`, 'cannot be loaded: no key is set'],
  ['a file that ends the process', 'exits.ts', 'process.exit(0);', 'cannot be loaded: it exits the process'],
  ['a promise that is rejected', 'late.ts', `export const app = Promise.reject(new Error('late'));`, 'late'],
  ['an export that is missing', 'other.ts', 'export const api = {};', 'is not an app: expected'],
  ['an export that is not an app', 'number.ts', 'export const app = 1;', 'is not an app: expected'],
  ['an object without a fetch', 'empty.ts', 'export const app = { fetch: true };', 'is not an app: expected'],
];

test.each(REFUSED)('%s is rejected', async (_, file, text, reason) => {
  const refusal = await refusalOf(
    load(`./src/${file}:app`, text === undefined ? {} : { [`src/${file}`]: text }),
  );
  expect(refusal).toStartWith(`Validation error in field 'http.app': src/${file}:app `);
  expect(refusal).toContain(reason);
  expect(refusal).toEndWith('(langgraph.json)');
  expect(refusal).not.toContain('/tmp');
});
