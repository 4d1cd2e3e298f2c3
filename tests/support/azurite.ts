/** A real Azure Blob server (Azurite) in memory, on a free port. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlobServiceClient } from '@azure/storage-blob';
import { BARE_ENVIRONMENT } from './bare-environment.ts';
import { reportMissing } from './missing.ts';

export interface Azurite {
  connectionString: string;
  service: BlobServiceClient;
  /** Kills the server and resolves when it has exited. */
  kill(): Promise<void>;
}

const PROGRAM = join(import.meta.dir, '../../node_modules/azurite/dist/src/blob/main.js');
const ACCOUNT = 'skein';
const START_MS = 60_000;

/** Undefined if it cannot be started; prints the reason. */
export async function startAzurite(): Promise<Azurite | undefined> {
  const started = existsSync(PROGRAM) ? await start() : undefined;
  if (!started) reportMissing('Azurite', 'bun install');
  return started;
}

async function start(): Promise<Azurite | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-azurite-'));
  const key = randomBytes(64).toString('base64');
  const child = Bun.spawn([process.execPath, '--no-env-file', PROGRAM, ...ARGUMENTS], {
    cwd: folder,
    env: { ...BARE_ENVIRONMENT, HOME: folder, AZURITE_ACCOUNTS: `${ACCOUNT}:${key}` },
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await child.exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
  let text = '';
  for await (const piece of child.stdout) {
    text += new TextDecoder().decode(piece);
    const [, url] = /successfully listens on (http:\S+)/.exec(text) ?? [];
    if (url === undefined) continue;
    clearTimeout(timer);
    const connectionString = `DefaultEndpointsProtocol=http;AccountName=${ACCOUNT};AccountKey=${key};BlobEndpoint=${url}/${ACCOUNT};`;
    return { connectionString, service: BlobServiceClient.fromConnectionString(connectionString), kill };
  }
  clearTimeout(timer);
  await kill();
  return undefined;
}

const ARGUMENTS = [
  '--inMemoryPersistence',
  ...['--blobHost', '127.0.0.1', '--blobPort', '0'],
  '--skipApiVersionCheck',
  '--disableTelemetry',
  '--silent',
];
