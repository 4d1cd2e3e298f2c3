/** Commands that call the service: threads, workflows, graph and eval, in scripts and on terminals. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BARE_ENVIRONMENT } from '../support/bare-environment.ts';
import { type ServiceProcess, spawnService } from '../support/process.ts';
import { CLASSIFIED, scriptedProvider } from '../support/provider.ts';
import { runCommand } from '../support/run-command.ts';
import { providerEnv } from '../support/service.ts';

const MAIN = join(import.meta.dir, '..', '..', 'cli', 'main.ts');
const folder = mkdtempSync(join(tmpdir(), 'skein-remote-'));
let service: ServiceProcess;

const AUTHENTICATION = {
  SERVICE_WEB_CONFIGURATION__AUTHENTICATION__ENABLE: 'true',
  SERVICE_WEB_CONFIGURATION__AUTHENTICATION__ENABLE_GLOBAL_MIDDLEWARE: 'true',
  SERVICE_WEB_CONFIGURATION__AUTHENTICATION__USERNAME: 'ann',
  SERVICE_WEB_CONFIGURATION__AUTHENTICATION__PASSWORD: 'a pass word',
  SERVICE_WEB_CONFIGURATION__AUTHENTICATION__JWT_SECRET_KEY: 's'.repeat(32),
};
const ANN = { SKEIN_USERNAME: 'ann', SKEIN_PASSWORD: 'a pass word' };

beforeAll(async () => {
  service = await spawnService(folder, { ...AUTHENTICATION, SERVICE_LOCAL_SQL_DB__SEED_SAMPLES: 'true' });
}, 60_000);
afterAll(async () => {
  service.kill('SIGKILL');
  await service.exited;
  rmSync(folder, { recursive: true });
});

async function skein(args: string[], env: Record<string, string> = ANN) {
  const child = Bun.spawn([process.execPath, '--no-env-file', MAIN, ...args], {
    cwd: folder,
    env: { ...BARE_ENVIRONMENT, SKEIN_URL: service.url, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { out, errors, code };
}

test('threads are listed, shown, searched and deleted', async () => {
  const { code } = await skein(['chat', '--thread', 't1', '--message', 'My pedal broke.']);
  expect(code).toBe(0);
  const { out } = await skein(['threads']);
  expect(out).toMatch(/^t1 +classification-agent +idle +2 messages +\S+Z +My pedal broke\.\n$/);
  expect((await skein(['threads', 'list', '--search', 'pedal', '--json'])).out).toContain('"thread_id":"t1"');
  expect((await skein(['threads', '--search', 'wheel'])).out).toContain('No threads yet');
  const shown = await skein(['threads', 'show', 't1', '--json']);
  expect(JSON.parse(shown.out)).toMatchObject({
    thread_id: 't1',
    interrupt: null,
    messages: [{ role: 'user' }, { role: 'assistant' }],
  });
  expect((await skein(['threads', 'delete', 't1'])).code).toBe(0);
  const gone = await skein(['threads', 'show', 't1']);
  expect(gone).toMatchObject({ code: 1, out: '' });
  expect(gone.errors).toContain('Thread not found');
}, 60_000);

test('usage is listed by day and by workflow', async () => {
  expect((await skein(['chat', '--message', 'My pedal broke.'])).code).toBe(0);
  const { out, code } = await skein(['usage', '--by', 'workflow']);
  expect(code).toBe(0);
  expect(out).toMatch(
    /^workflow +runs +input tokens +output tokens +cost\nclassification-agent +\d+ +\d+ +\d+ +0\n$/,
  );
  const { usage } = JSON.parse((await skein(['usage', '--json'])).out);
  expect(usage).toMatchObject([{ day: new Date().toISOString().slice(0, 10), cost: 0 }]);
  expect((await skein(['usage', '--to', '2020-01-01', '--from', '2020-01-01'])).out).toContain(
    'No runs ended',
  );
  expect(await skein(['usage', '--by', 'owner'])).toMatchObject({ code: 2 });
  expect(await skein(['usage', '--from', 'yesterday'])).toMatchObject({ code: 1 });
}, 60_000);

test('workflows are listed with missing settings, and graphs are drawn in each format', async () => {
  const { out, code } = await skein(['workflows']);
  expect(code).toBe(0);
  expect(out).toContain('✓ classification-agent (core)');
  expect(out).not.toContain('\u001b');
  const { workflows } = JSON.parse((await skein(['workflows', '--json'])).out);
  expect(workflows.map(({ workflow }: { workflow: string }) => workflow)).toContain('sql-manipulation-agent');
  expect((await skein(['graph', 'sql_manipulation_agent'])).out).toContain('graph TD;');
  expect((await skein(['graph', 'classification-agent', '--format', 'svg'])).out).toStartWith('<svg ');
  const json = await skein(['graph', 'sql-manipulation-agent', '--format', 'json', '--xray']);
  expect(JSON.parse(json.out).nodes.length).toBeGreaterThan(5);
  expect(await skein(['graph', 'nope'])).toMatchObject({ code: 1 });
  expect(await skein(['graph', 'nope', '--format', 'png'])).toMatchObject({ code: 2 });
}, 60_000);

test('without credentials it says where to put them', async () => {
  const { code, errors } = await skein(['threads'], {});
  expect(code).toBe(1);
  expect(errors).toContain('SKEIN_API_KEY');
}, 60_000);

test('with an address at which no service answers, the files are not opened', async () => {
  const { code, errors } = await skein(['threads', '--url', 'http://127.0.0.1:9']);
  expect(code).toBe(2);
  expect(errors).toContain("Validation error in field '--url': no service answers at http://127.0.0.1:9");
}, 60_000);

test('a service on another port than in the settings needs --url, which the error suggests', async () => {
  const { code, out, errors } = await runCommand(['threads', '--port', '0'], folder, ANN);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(errors).toContain('another process is using this state file');
  expect(errors).toEndWith(
    'if the service uses another port, set --url, as in --url http://localhost:8080\n',
  );
}, 60_000);

describe('skein eval', () => {
  const file = (name: string, ...cases: (object | string)[]) => {
    const path = join(folder, name);
    const lines = cases.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
    return Bun.write(path, lines.join('\n')).then(() => path);
  };

  test('scores texts, fields and conversations, and fails below --min', async () => {
    const path = await file(
      'cases.jsonl',
      { prompt: 'My bike broke, help!', expect: { json: { 'outputs[0].data.category': 'support' } } },
      { id: 'name', prompt: 'My name is Bob.', thread: 'a', expect: { contains: ['BOB'] } },
      { id: 'remembers', prompt: 'What is my name?', thread: 'a', expect: { contains: ['bob'] } },
      { id: 'wrong', prompt: 'Hello', expect: { exact: 'x', contains: ['zzz'] } },
    );
    const before = (await skein(['threads'])).out;
    const { out, code } = await skein(['eval', 'classification-agent', path, '--min', '0.8']);
    expect(code).toBe(1);
    expect(out).toContain('3 of 4 passed (75.0 %)');
    expect(out).toContain('lacks "zzz"');
    expect((await skein(['eval', 'classification-agent', path])).code).toBe(1);
    expect((await skein(['eval', 'classification-agent', path, '--min', '0.75'])).code).toBe(0);
    // The evaluation deletes its conversations.
    expect((await skein(['threads'])).out).toBe(before);
  }, 60_000);

  test('rejects an unknown workflow, and suggests the nearest name', async () => {
    const path = await file('unknown.jsonl', { prompt: 'Hello', expect: { contains: ['a'] } });
    const typo = await skein(['eval', 'clasification_agent', path]);
    expect(typo).toMatchObject({ code: 2, out: '' });
    expect(typo.errors).toContain(
      "unknown workflow 'clasification_agent', did you mean 'classification-agent'?",
    );
    const { code, errors } = await skein(['eval', 'nope', path]);
    expect(code).toBe(2);
    expect(errors).toContain("unknown workflow 'nope'; workflows: classification-agent, ");
  }, 60_000);

  test('fails if cases get no answer to score, and reports their number', async () => {
    const provider = scriptedProvider(({ messages }) =>
      messages.some(({ content }) => content.includes('refused'))
        ? () => new Response('{}', { status: 400 })
        : CLASSIFIED,
    );
    const path = await file(
      'failing.jsonl',
      { prompt: 'This is refused', expect: { contains: ['a'] } },
      { prompt: 'My pedal broke', expect: { json: { 'outputs[0].data.category': 'support' } } },
    );
    const env = { ...providerEnv(provider.url), SERVICE_KNOWLEDGE_BASE__SEED_SAMPLES: 'false' };
    const other = mkdtempSync(join(folder, 'failing-'));
    const failing = await spawnService(other, env);
    try {
      const { code, out } = await skein(['eval', 'classification-agent', path, '--url', failing.url], {});
      expect(out).toContain('1 of 2 passed (50.0 %), 1 not answered\n');
      expect(code).toBe(1);
      const json = await skein(['eval', 'classification-agent', path, '--json', '--url', failing.url], {});
      expect(JSON.parse(json.out)).toMatchObject({
        right: 1,
        unanswered: 1,
        judged: [{ answered: false }, { answered: true, right: true }],
      });
    } finally {
      failing.kill('SIGKILL');
      await failing.exited;
      await provider.close();
    }
  }, 60_000);

  test('scores the rows of a query in any order, and writes a report', async () => {
    const path = await file(
      'sql.jsonl',
      { prompt: 'How many stores are there?', expect: { rows: [[12]] } },
      { prompt: 'How many stores are there?', expect: { rows: [{ number_of_stores: 12 }] } },
      { prompt: 'How many stores are there?', expect: { rows: [[13]] } },
    );
    const report = join(folder, 'report.json');
    const { out } = await skein(['eval', 'sql-manipulation-agent', path, '--report', report, '--json']);
    const written = JSON.parse(await Bun.file(report).text());
    expect(written).toEqual(JSON.parse(out));
    expect(out.trimEnd()).not.toContain('\n');
    expect(written.judged).toMatchObject([
      { right: true },
      { right: true },
      {
        right: false,
        misses: ['the SQL result lacks [13]', 'the SQL result has unexpected {"number_of_stores":12}'],
      },
    ]);
  }, 60_000);

  test.each([
    ['{"prompt": 1, "expect": {"exact": "a"}}', 'line 1'],
    ['{"prompt": "a", "expect": {}}', 'line 1'],
    ['{"prompt": "a", "expect": {"contain": ["a"]}}', "did you mean 'contains'"],
    [
      '{"prompt": "a", "expect": {"rows": [[1], 2]}}',
      "line 1: Validation error in field 'expect.rows[1]': expected a list of cells, or an object with the cells by column",
    ],
    ['nonsense', 'is not a JSON object'],
    ['', 'has no cases'],
  ])(
    'rejects %p',
    async (line, reason) => {
      const { code, errors } = await skein(['eval', 'classification-agent', await file('bad.jsonl', line)]);
      expect(code).toBe(2);
      expect(errors).toContain(reason);
    },
    60_000,
  );
});
