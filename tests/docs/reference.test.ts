/** The generated pages of docs/ are up to date with `bun run docs`. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { referencePages } from '../../docs/reference/write.ts';
import { ERRORS } from '../../state/errors.ts';

// It reads types with the compiler, on a machine that may be busy.
setDefaultTimeout(120_000);

const pages = referencePages();
const NAMES = ['commands.md', 'errors.md', 'events.md', 'http.md', 'settings.md'];

test('bun run docs generates these pages', async () => {
  expect(Object.keys(await pages)).toEqual(NAMES);
});

test.each(NAMES)('docs/%s is up to date; if not, run `bun run docs`', async (name) => {
  const kept = await Bun.file(join(import.meta.dir, '../../docs', name)).text();
  expect(kept).toBe((await pages)[name] ?? '');
});

test('they contain every error code, every event with its fields, a nested setting with its variable, and chat', async () => {
  const { 'errors.md': errors, 'events.md': events, 'settings.md': settings, 'http.md': http } = await pages;
  for (const code of Object.keys(ERRORS)) expect(errors).toContain(`| \`${code}\` |`);
  expect(events).toContain('## token');
  expect(events).toContain('| `task_id` | `string`, optional | LangGraph');
  expect(settings).toContain('`SERVICE_WEB_CONFIGURATION__AUTHENTICATION__JWT_ACCESS_TOKEN_EXPIRE_MINUTES`');
  expect(settings).toContain('| integer; 1 to 1000000 |');
  expect(http).toContain('### POST /api/v1/chat\n');
  expect(http).toContain('| `conversation_flow` |');
});

test('they contain no path of the machine that generated them', async () => {
  for (const text of Object.values(await pages))
    expect(text).not.toMatch(/\/(?:home|root|tmp\/skein|work)\b/);
});
