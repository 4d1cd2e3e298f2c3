/** The service with its prompt files on a real Azure Blob server. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type Azurite, startAzurite } from '../../support/azurite.ts';
import { scriptedProvider } from '../../support/provider.ts';
import { providerEnv, type TestService, testService } from '../../support/service.ts';
import { callOf, echoing } from '../support/calls.ts';
import { answerOf, expectRefused } from '../support/refused.ts';
import { until } from '../support/until.ts';

setDefaultTimeout(60_000);

const azurite = await startAzurite();
afterAll(() => azurite?.kill());

const SUPPORT = 'classification-agent.support_responder.jinja';
let containers = 0;

function configFor(container: string, { connectionString }: Pick<Azurite, 'connectionString'>): string {
  const azure = JSON.stringify({ container, prefix: 'skein/', connection_string: connectionString });
  return `prompts: {storage: azure, azure: ${azure}}\nworkflows: {classification-agent: {prompt_revision: v1}}`;
}

async function withService(
  work: (service: TestService, used: () => Promise<string>) => Promise<void>,
  container = `service-${++containers}`,
  server = azurite,
): Promise<void> {
  const provider = scriptedProvider(echoing());
  const config = server ? configFor(container, server) : '';
  const service = await testService({ env: providerEnv(provider.url), config });
  const used = async () => {
    provider.requests.length = 0;
    expect((await service.chat({ user_prompt: 'it does not work' })).status).toBe(200);
    const answering = provider.requests.find((request) => callOf(request) === 'answer');
    return answering?.messages[0]?.content ?? '';
  };
  try {
    await work(service, used);
  } finally {
    await service.close();
    await provider.close();
  }
}

const post = ({ fetch }: TestService, path: string, body: object, headers = {}) =>
  answerOf(
    fetch(`/api/v1/prompts/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  );
const get = ({ fetch }: TestService, path: string) => answerOf(fetch(`/api/v1/${path}`));

describe.skipIf(!azurite)('prompt files in Azure Blob storage', () => {
  test('an update is used by the next call, and the endpoints return the stored files', () =>
    withService(async (service, used) => {
      expect(await used()).toContain('You help people with a problem');
      const update = (content: string, headers = {}) =>
        post(service, `update/v1/${SUPPORT}`, { content }, headers);
      expect((await update('ONE {{ category.name }}')).body.version).toBe(1);
      expect(await used()).toStartWith('ONE support');
      const etag = (await service.fetch(`/api/v1/prompts/view/v1/${SUPPORT}`)).headers.get('etag');
      expect((await update('TWO', { 'if-match': etag })).status).toBe(200);
      expectRefused(await update('LOST', { 'if-match': etag }), 412, 'PROMPT_CONFLICT');
      expect(await used()).toStartWith('TWO');
      expect((await post(service, `restore/v1/${SUPPORT}`, { version: 1 })).body.version).toBe(3);
      expect(await used()).toStartWith('ONE support');
      expect((await get(service, 'prompts/list/v1')).body).toEqual([SUPPORT]);
      const { body } = await get(service, `prompts/history/v1/${SUPPORT}`);
      expect(body.versions.map(({ version }: { version: number }) => version)).toEqual([3, 2, 1]);
      expect((await get(service, 'prompts/revisions')).body.revisions).toContainEqual({
        revision_id: 'v1',
        files: 1,
        source: 'azure',
      });
    }));

  test('an update by another service is used some seconds later', () => {
    const container = `service-${++containers}`;
    return withService(async (_service, used) => {
      expect(await used()).toContain('You help people with a problem');
      await withService(async (other) => {
        expect((await post(other, `update/v1/${SUPPORT}`, { content: 'ELSEWHERE' })).status).toBe(200);
      }, container);
      await until(async () => (await used()).startsWith('ELSEWHERE'), 30_000);
    }, container);
  });

  test('the diagnostic has the location, without the key', () =>
    withService(async (service) => {
      const text = await (await service.fetch('/api/v1/diagnostic')).text();
      const { directories, settings, components } = JSON.parse(text);
      expect(directories.prompts).toBe(`Azure Blob container 'service-${containers}', prefix 'skein/'`);
      expect(settings.prompts.azure.connection_string).toBe('[redacted]');
      expect(text).not.toContain(/AccountKey=([^;]+)/.exec(azurite?.connectionString ?? '')?.[1] ?? '');
      expect(components.prompts.status).toBe('healthy');
    }));

  test('while the server is unavailable, turns use cached prompts, and everything else fails', async () => {
    const own = await startAzurite();
    await withService(
      async (service, used) => {
        await post(service, `update/v1/${SUPPORT}`, { content: 'KNOWN' });
        expect(await used()).toStartWith('KNOWN');
        await own?.kill();
        expect(await used()).toStartWith('KNOWN');
        const update = await post(service, `update/v1/${SUPPORT}`, { content: 'x' });
        const { detail } = expectRefused(update, 500, 'PROMPT_STORAGE_FAILED');
        expect(detail).toMatch(new RegExp(`^prompt file '${SUPPORT}' of revision 'v1': \\w+$`));
        expectRefused(await get(service, 'prompts/view/v1/b.md'), 500, 'PROMPT_STORAGE_FAILED');
        expectRefused(await get(service, 'prompts/list/v1'), 500, 'PROMPT_STORAGE_FAILED');
        await until(async () => (await get(service, 'health')).body.status === 'degraded', 30_000);
        const { body, status } = await get(service, 'health');
        expect({ status, prompts: body.components.prompts }).toMatchObject({
          status: 200,
          prompts: { status: 'degraded', reason: expect.stringMatching(/^the prompt storage: \w+$/) },
        });
      },
      'gone',
      own,
    );
  });
});

test('requests to a server that never responds time out', async () => {
  const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const connectionString = `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=a2V5;BlobEndpoint=http://127.0.0.1:${silent.port}/a;`;
  const config = configFor('silent', { connectionString });
  const service = await testService({ config });
  const { detail } = expectRefused(await get(service, 'prompts/view/v1/a.md'), 500, 'PROMPT_STORAGE_FAILED');
  expect(detail).toBe("prompt file 'a.md' of revision 'v1': no answer within 5 s");
  expect(service.service.warnings).toContain(
    'The revisions of the prompt files cannot be read: the prompt storage: no answer within 5 s',
  );
  await service.close();
  silent.stop(true);
});

const NO_START: [settings: string, message: string][] = [
  ['', "field 'prompts.azure': missing; prompts.storage: azure requires it"],
  [', azure: {container: prompts}', "field 'prompts.azure': expected connection_string or account_url"],
  [
    ', azure: {container: prompts, connection_string: canary}',
    "field 'prompts.azure.connection_string': must have AccountName and AccountKey",
  ],
  [
    ', azure: {container: prompts, account_url: "http://127.0.0.1:1"}',
    "field 'prompts.azure.account_url': must be an https URL, or have a signature",
  ],
  [
    ', azure: {container: A, account_url: "https://a"}',
    "field 'prompts.azure.container': expected a container",
  ],
  [
    ', azure: {container: prompts, prefix: a/../b, account_url: "https://a"}',
    "field 'prompts.azure.prefix': expected at most 256",
  ],
];
test.each(NO_START)('settings without a valid container stop the start: %p', async (settings, message) => {
  const failure = await testService({ config: `prompts: {storage: azure${settings}}` }).catch(
    (error) => error,
  );
  expect(failure).toMatchObject({ code: 'CONFIGURATION_ERROR' });
  expect(failure.message).toContain(message);
  expect(failure.message).not.toContain('canary');
});
