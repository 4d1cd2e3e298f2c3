/** The settings of MCP servers: a program or an address, and secrets that are not shown. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { redacted } from '../../settings/redact.ts';
import { project } from './project.ts';

const config = (text: string) => ({ 'config.yml': `mcp_servers:\n${text}` });

test('a server is a program with its variables, or an address with its headers', () => {
  const text = `  files: {command: npx, args: [-y, server-files], env: {TOKEN: "\${TOKEN}"}}
  Remote_2: {url: https://user:word@example.org/mcp?key=canary, headers: {Authorization: Bearer canary}, timeout_seconds: 5}
`;
  const { settings } = project(config(text)).load({ env: { TOKEN: 'canary' } });
  const none = { args: [], env: {}, headers: {} };
  expect(settings.mcp_servers).toEqual({
    files: {
      ...none,
      command: 'npx',
      args: ['-y', 'server-files'],
      env: { TOKEN: 'canary' },
      timeout_seconds: 60,
    },
    Remote_2: {
      ...none,
      url: 'https://user:word@example.org/mcp?key=canary',
      headers: { Authorization: 'Bearer canary' },
      timeout_seconds: 5,
    },
  });
  const shown = JSON.stringify(redacted(settings));
  expect(shown).toContain('server-files');
  expect(shown).not.toContain('canary');
  expect(shown).not.toContain('word@');
});

test('variables name a server in lower case', () => {
  const env = { SERVICE_MCP_SERVERS__FILES__COMMAND: 'npx', SERVICE_MCP_SERVERS__FILES__ARGS: '["a"]' };
  expect(project().load({ env }).settings.mcp_servers.files).toMatchObject({ command: 'npx', args: ['a'] });
});

test.each([
  ['a: {}', "field 'mcp_servers.a': set either command or url"],
  ['a: {command: x, url: "http://x"}', "field 'mcp_servers.a': set either command or url"],
  ['a: {command: x, headers: {b: c}}', "field 'mcp_servers.a.headers': requires a url"],
  ['a: {url: "http://x", args: [b]}', "field 'mcp_servers.a.args': requires a command"],
  ['a: {url: "http://x", env: {b: c}}', "field 'mcp_servers.a.env': requires a command"],
  ['a: {url: "ftp://x"}', "field 'mcp_servers.a.url': expected an http or https URL"],
  ['a: {comand: x}', "field 'mcp_servers.a.comand': unknown key, did you mean 'command'?"],
  ['a.b: {command: x}', "field 'mcp_servers.a.b': this name is not allowed"],
  ['a: {command: x, env: {PORT: 1}}', "field 'mcp_servers.a.env.PORT': expected"],
])('an invalid server is rejected with the reason: %s', (text, refusal) => {
  expect(project(config(`  ${text}\n`)).refusal()).toContain(refusal);
});

test('the example of docs/workflows.md is valid', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../docs/workflows.md')).text();
  const [, text = ''] = /```yaml\n(mcp_servers:.*?)```/s.exec(page) ?? [];
  const env = { FILES_TOKEN: 'a', TICKETS_TOKEN: 'b' };
  const { mcp_servers } = project({ 'config.yml': text }).load({ env }).settings;
  expect(mcp_servers).toMatchObject({
    files: { command: 'npx', env: { TOKEN: 'a' } },
    tickets: { url: 'https://tickets.example.com/mcp', headers: { Authorization: 'Bearer b' } },
  });
});
