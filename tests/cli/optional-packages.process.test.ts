/** If the settings require a package that is not installed, the start fails with an error that says what to install. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import skein from '../../package.json';
import { spawnCommand } from '../support/process.ts';
import { WITHOUT_SAMPLES } from '../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-optional-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SEARCH = {
  SERVICE_KNOWLEDGE_BASE__MODE: 'cloud',
  SERVICE_CLOUD_SEARCH__ENDPOINT: 'https://search.invalid',
  SERVICE_CLOUD_SEARCH__INDEX_NAME: 'docs',
  SERVICE_CLOUD_SEARCH__API_KEY: 'key',
};
const SQL_SERVER = {
  SERVICE_CLOUD_SQL__DRIVER: 'mssql',
  SERVICE_CLOUD_SQL__SERVER_NAME: 'db.invalid',
  SERVICE_CLOUD_SQL__DATABASE_NAME: 'shop',
  SQL_USERNAME: 'reader',
  SQL_PASSWORD: 'pass-word',
};
const BLOBS = { SERVICE_PROMPTS__STORAGE: 'azure', SERVICE_PROMPTS__AZURE__CONTAINER: 'prompts' };
const IDENTITY = { ...BLOBS, SERVICE_PROMPTS__AZURE__ACCOUNT_URL: 'https://account.invalid' };

test.each([
  ['@azure/search-documents', SEARCH, "knowledge_base.mode': 'cloud'"],
  ['mssql', SQL_SERVER, "cloud_sql.driver': SQL Server"],
  ['@azure/storage-blob', BLOBS, "prompts.storage': 'azure'"],
  ['@azure/identity', IDENTITY, "prompts.azure.account_url': without a signature it"],
] as const)(
  '%s',
  async (name, env, asking) => {
    const preload = join(folder, 'without.ts');
    await Bun.write(
      preload,
      `Bun.plugin({ name: 'none', setup: (build) => build.module('${name}', () => { throw new Error('none'); }) });`,
    );
    const child = spawnCommand(['serve', '--port', '0'], folder, { ...WITHOUT_SAMPLES, ...env }, preload);
    await Promise.all([child.errors, Array.fromAsync(child.lines)]);
    const version = skein.peerDependencies[name].replace('^', '');
    expect(await child.exited).toBe(2);
    expect(child.output()).toBe(
      `Validation error in field '${asking} needs the package ${name}: run "bun add ${name}@${version}"\n`,
    );
  },
  60_000,
);

test('the tests use the versions that the error messages name', () => {
  const { devDependencies, peerDependencies } = skein;
  for (const name of ['@azure/search-documents', '@azure/storage-blob'] as const)
    expect(peerDependencies[name]).toBe(`^${devDependencies[name]}`);
});
