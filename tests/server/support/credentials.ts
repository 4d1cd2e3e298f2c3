/** The settings of a protected service, with valid and invalid credentials for it. */
import { createHash } from 'node:crypto';

export const PASSWORD = 'pass:wörd:ß🚲';
export const SECRET = 'signing-secret-canary-of-48-bytes-0123456789abcdef';
export const KEY = 'skein_key-canary.with.dots';
export const OTHER_PASSWORD = 'other-password-canary';

// A cheap hash, so that tests don't wait for it.
const otherHash = Bun.password.hashSync(OTHER_PASSWORD, {
  algorithm: 'argon2id',
  memoryCost: 64,
  timeCost: 2,
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Returns the text of config.yml. `fields` are further settings of the block, in YAML's flow style. */
export function protectedConfig(fields = '', { global = true } = {}): string {
  return `web_configuration:
  authentication: {enable: true, enable_global_middleware: ${global}, username: ann, password: "${PASSWORD}",
    jwt_secret_key: "${SECRET}", users: [{username: bob, password_hash: "${otherHash}"}],
    api_keys: [{name: robot, sha256: "${sha256(KEY)}"}]${fields && `, ${fields}`}}
`;
}

export const basic = (username: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export const ANN = basic('ann', PASSWORD);
export const BOB = basic('bob', OTHER_PASSWORD);
export const ROBOT = { 'x-api-key': KEY };

export interface Pair {
  access_token: string;
  refresh_token: string;
  token_type: string;
  expires_in: number;
}

interface Asked {
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

export function post(service: Asked, path: string, body: unknown, headers: Record<string, string> = {}) {
  const all = { 'content-type': 'application/json', ...headers };
  return service.fetch(path, { method: 'POST', headers: all, body: JSON.stringify(body) });
}

export const login = (service: Asked, username: string, password: string) =>
  post(service, '/api/v1/auth/login', { username, password });

export async function pairOf(service: Asked, username = 'ann', password = PASSWORD): Promise<Pair> {
  const response = await login(service, username, password);
  if (response.status !== 200) throw new Error(`login answered ${response.status}`);
  return (await response.json()) as Pair;
}
