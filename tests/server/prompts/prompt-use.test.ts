/** The prompt files that a workflow's model calls use. */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testService } from '../../support/service.ts';
import { callOf, echoing } from '../support/calls.ts';
import { answerOf, expectRefused } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';

// Threads and files are slow on a busy machine.
setDefaultTimeout(30_000);

const provider = runningProvider();
const service = runningService(provider, 'workflows: {classification-agent: {prompt_revision: v1}}');

const SUPPORT = 'classification-agent.support_responder.jinja';
const folder = () => join(service.folder, '.files/prompts');
afterEach(() => rmSync(folder(), { recursive: true, force: true }));

function put(revision: string, text: string, file = SUPPORT) {
  mkdirSync(join(folder(), revision), { recursive: true });
  writeFileSync(join(folder(), revision, file), text);
}

/** The system prompt of the answering call. */
async function used(): Promise<string> {
  provider.requests.length = 0;
  await service.chat({ user_prompt: 'it does not work' });
  const answering = provider.requests.find((request) => callOf(request) === 'answer');
  return answering?.messages[0]?.content ?? '';
}

test("the workflow's revision takes precedence over default, and default over the shipped file", async () => {
  expect(await used()).toContain('You help people with a problem');
  put('default', 'DEFAULT {{ category.name }}');
  expect(await used()).toStartWith('DEFAULT support');
  put('v1', 'V1 {{ category.name }}');
  put('v2', 'V2');
  expect(await used()).toStartWith('V1 support');
  rmSync(join(folder(), 'v1'), { recursive: true });
  expect(await used()).toStartWith('DEFAULT support');
});

test('each change is used by the next call, even if the length of the file stays the same', async () => {
  for (let n = 0; n < 10; n++) {
    put('v1', `number ${n}`);
    expect(await used()).toStartWith(`number ${n}`);
  }
});

test('a change is used by the next call of a running run', async () => {
  put('v1', 'before');
  provider.script = (request, index) => {
    if (callOf(request) === 'classification') put('v1', 'after');
    return (echoing() as (...args: [typeof request, number]) => never)(request, index);
  };
  expect(await used()).toStartWith('after');
});

test('a link instead of a file or a revision is not followed', async () => {
  put('elsewhere', 'SECRET');
  mkdirSync(join(folder(), 'v1'));
  symlinkSync(join(folder(), 'elsewhere', SUPPORT), join(folder(), 'v1', SUPPORT));
  expect(await used()).not.toContain('SECRET');
  rmSync(join(folder(), 'v1'), { recursive: true });
  renameSync(join(folder(), 'elsewhere'), join(folder(), 'away'));
  symlinkSync(join(folder(), 'away'), join(folder(), 'v1'));
  expect(await used()).not.toContain('SECRET');
});

test('an undefined variable fails the turn with its name and the file', async () => {
  put('v1', 'Dear {{ customer }}');
  const answer = await service.chat({ user_prompt: 'it does not work' });
  const { message, detail } = expectRefused(answer, 500, 'CONFIGURATION_ERROR');
  expect(message).toContain(SUPPORT);
  expect(detail).toBe(
    `prompt file '${SUPPORT}' of revision 'v1': line 1, column 6: the variable 'customer' is undefined`,
  );
});

test('a template that takes too long fails the turn, and does not delay other work', async () => {
  const loop = '{% for i in range(9999) %}';
  put('v1', `${loop.repeat(4)}x${'{% endfor %}'.repeat(4)}`);
  const turn = service.chat({ user_prompt: 'it does not work' });
  const { detail } = expectRefused(await turn, 500, 'CONFIGURATION_ERROR');
  expect(detail).toEndWith('rendering takes longer than 250 ms');
});

test('an unknown revision is reported at the start and in the diagnostic, with the nearest name', async () => {
  const at = mkdtempSync(join(tmpdir(), 'skein-revisions-'));
  await Bun.write(join(at, '.files/prompts/summer/a.md'), 'x');
  const warnings = async (revision: string) => {
    const config = `workflows: {classification-agent: {prompt_revision: ${revision}}}`;
    const started = await testService({ folder: at, config });
    const { body } = await answerOf(started.fetch('/api/v1/diagnostic'));
    expect(body.warnings).toEqual(started.service.warnings);
    await started.close();
    // On PostgreSQL, there are also warnings about files of each server.
    return body.warnings.filter((warning: string) => warning.includes('prompt_revision'));
  };
  expect(await warnings('sumer')).toEqual([
    "workflows.classification-agent.prompt_revision: revision 'sumer' does not exist, did you mean 'summer'?; 'default' is used until it does",
  ]);
  expect(await warnings('winter')).toEqual([
    "workflows.classification-agent.prompt_revision: revision 'winter' does not exist; 'default' is used until it does",
  ]);
  expect(await warnings('summer')).toEqual([]);
  rmSync(at, { recursive: true });
});
