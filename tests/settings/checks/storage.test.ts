/** Addresses of object stores in `knowledge_base`: the sources of their credentials, and invalid ones. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '../../../settings/load.ts';
import { redacted } from '../../../settings/redact.ts';

const AWS = { AWS_ACCESS_KEY_ID: 'the-id', AWS_SECRET_ACCESS_KEY: 'the-secret' };
const AZURE = {
  AZURE_STORAGE_CONNECTION_STRING: 'AccountName=shop;AccountKey=dGhlLWtleQ==;EndpointSuffix=core.windows.net',
};

function load(knowledge: Record<string, unknown>, env: Record<string, string> = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'skein-storage-settings-'));
  try {
    writeFileSync(join(cwd, 'config.yml'), JSON.stringify({ knowledge_base: knowledge }));
    return loadSettings({ cwd, env, flags: {} });
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

function problem(knowledge: Record<string, unknown>, env: Record<string, string> = {}): string {
  try {
    load(knowledge, env);
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
}

test('an address is kept unchanged, and the variables of its store fill missing fields', () => {
  const { settings, sources } = load(
    { documents_path: 's3://shop/docs', index_path: 's3://shop/index/', region: 'eu-west-1' },
    { ...AWS, AWS_REGION: 'us-west-2', AWS_ENDPOINT_URL: 'http://127.0.0.1:9000', ...AZURE },
  );
  expect(settings.knowledge_base).toMatchObject({
    documents_path: 's3://shop/docs',
    index_path: 's3://shop/index/',
    region: 'eu-west-1',
    endpoint: 'http://127.0.0.1:9000',
    credentials: { access_key_id: 'the-id', secret_access_key: 'the-secret' },
  });
  expect(settings.knowledge_base.credentials?.connection_string).toBeUndefined();
  expect(sources['knowledge_base.credentials.secret_access_key']).toBe('environment AWS_SECRET_ACCESS_KEY');
  expect(JSON.stringify(redacted(settings))).not.toContain('the-secret');
});

test('of two variables for a field, the first one counts, and folders use none', () => {
  const both = { ...AWS, AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1', AWS_ENDPOINT_URL: 'http://127.0.0.1:2' };
  const { endpoint } = load({ documents_path: 's3://shop' }, both).settings.knowledge_base;
  expect(endpoint).toBe('http://127.0.0.1:1');
  expect(load({}, both).settings.knowledge_base.credentials).toBeUndefined();
});

test('samples are written to a store only if the settings say so', () => {
  expect(load({ documents_path: 's3://shop' }, AWS).settings.knowledge_base.seed_samples).toBe(false);
});

test.each([
  ['ftp://shop/docs', /documents_path': expected a folder, or s3:/],
  ['s3://', /documents_path': expected a folder, or s3:/],
  ['s3://Shop/docs', /documents_path': expected a folder, or s3:/],
  ['s3://key:password@shop/docs', /documents_path': expected a folder, or s3:/],
  ['s3://shop/../other', /documents_path': expected a folder, or s3:/],
  ['s3://shop/docs', /documents_path': missing credentials for s3:.*AWS_ACCESS_KEY_ID/],
  ['az://shop/docs', /documents_path': missing credentials for az:.*AZURE_STORAGE_CONNECTION_STRING/],
  ['gs://shop/docs', /documents_path': missing credentials for gs:.*GOOGLE_APPLICATION_CREDENTIALS/],
])('%s is rejected with the path of its setting, and without its value', (documents_path, reason) => {
  const message = problem({ documents_path });
  expect(message).toMatch(reason);
  expect(message).not.toContain('password');
});

test('nested locations, and an endpoint for two kinds of stores, are rejected', () => {
  const within = { documents_path: 's3://shop/docs', index_path: 's3://shop/docs/index' };
  expect(problem(within, AWS)).toContain("'knowledge_base.index_path': must not be inside");
  const other = { documents_path: 's3://shop/docs', index_path: 's3://shop/docs-index' };
  expect(problem(other, AWS)).toBe('accepted');
  const mixed = { ...other, index_path: 'az://shop/index', endpoint: 'http://127.0.0.1:9000' };
  expect(problem(mixed, { ...AWS, ...AZURE })).toContain("'knowledge_base.endpoint': not allowed");
  expect(problem({ ...mixed, endpoint: undefined }, { ...AWS, ...AZURE })).toBe('accepted');
});
