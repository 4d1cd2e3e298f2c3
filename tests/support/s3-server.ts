/** An S3 server in memory (the Python package moto), on a free port. */
import { existsSync } from 'node:fs';
import { pythonWith } from '../server/support/python.ts';
import { BARE_ENVIRONMENT } from './bare-environment.ts';
import { reportMissing } from './missing.ts';

export interface S3Server {
  endpoint: string;
  credentials: { access_key_id: string; secret_access_key: string };
  /** Creates a bucket. */
  makeBucket(name: string): Promise<void>;
  /** Puts an object without Skein. */
  put(bucket: string, key: string, text: string): Promise<void>;
  remove(bucket: string, key: string): Promise<void>;
  keys(bucket: string): Promise<string[]>;
  /** Resolves when the server has exited. */
  kill(): Promise<void>;
}

const START_MS = 60_000;
const CREDENTIALS = { access_key_id: 'test-key-id', secret_access_key: 'test-secret-key' };

/** Undefined if it cannot be installed; prints the reason. */
export async function startS3Server(): Promise<S3Server | undefined> {
  const python = await pythonWith(['moto[server]==5.2.5']);
  if (python === undefined || !existsSync(python)) {
    reportMissing('moto (a server that speaks S3)', 'apt-get install -y python3-venv');
    return undefined;
  }
  const child = Bun.spawn([python, '-m', 'moto.server', '-H', '127.0.0.1', '-p', '0'], {
    env: { ...BARE_ENVIRONMENT, MOTO_ALLOW_NONEXISTENT_REGION: 'true' },
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
  const lines = child.stderr.getReader();
  let text = '';
  let endpoint: string | undefined;
  while (endpoint === undefined) {
    const { value, done } = await lines.read();
    if (done) throw new Error(`the S3 server ended before it listened: ${text}`);
    text += new TextDecoder().decode(value);
    endpoint = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(text)?.[1];
  }
  clearTimeout(timer);
  // The server logs every request, and would block on a full pipe.
  void (async () => {
    while (!(await lines.read()).done);
  })();
  const url = endpoint;
  const client = (bucket: string) =>
    new Bun.S3Client({
      accessKeyId: CREDENTIALS.access_key_id,
      secretAccessKey: CREDENTIALS.secret_access_key,
      region: 'us-east-1',
      endpoint: url,
      bucket,
    });
  return {
    endpoint: url,
    credentials: CREDENTIALS,
    async makeBucket(name) {
      await fetch(`${url}/${name}`, { method: 'PUT' });
    },
    async put(bucket, key, content) {
      await client(bucket).write(key, content);
    },
    async remove(bucket, key) {
      await client(bucket).delete(key);
    },
    async keys(bucket) {
      const { contents = [] } = await client(bucket).list({ maxKeys: 1_000 });
      return contents.map(({ key }) => key);
    },
    async kill() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}
