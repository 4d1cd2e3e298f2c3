/** Who is logged in: the tokens, which the open tabs share, and a fetch that sends them and renews them. */
import { useSyncExternalStore } from 'react';
import { BASE_PATH } from './base-path.ts';
import { withOwner } from './owner.ts';
import { sessionOfTabs } from './session-of-tabs.ts';

interface Tokens {
  access_token: string;
  /** Undefined for a token that comes from elsewhere. */
  refresh_token?: string;
}

export interface Session {
  /** The service has refused what was sent: somebody must log in. */
  refused: boolean;
  /** Tokens are there. */
  open: boolean;
}

// Of this tab, and gone with it; other tabs that are open then have them, and hand them to new ones.
const KEY = `skein.session${BASE_PATH}`;
const listeners = new Set<() => void>();
const forgetting = new Set<() => void>();
let tokens = stored();
let session: Session = { refused: false, open: tokens !== undefined };
let renewal: Promise<boolean> | undefined;
const tabs = sessionOfTabs<Tokens>(KEY, {
  held: () => tokens,
  given: keepOwn,
  over: () => {
    keepOwn(undefined);
    leave();
  },
});

export function useSession(): Session {
  return useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => session,
  );
}

/** Undefined where it worked; else a sentence that says why not. */
export async function logIn(username: string, password: string): Promise<string | undefined> {
  const response = await post('/api/v1/auth/login', { username, password }).catch(() => undefined);
  if (!response) return 'The service cannot be reached.';
  if (response.ok) {
    keep((await response.json()) as Tokens);
    return undefined;
  }
  if (response.status === 401) return 'The name or the password is wrong.';
  if (response.status === 429) return 'Too many attempts. Wait a minute and try again.';
  return messageOf(response);
}

async function messageOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => ({}))) as { message?: string };
  return body.message ?? `The service answered with status ${response.status}.`;
}

/** With an access token of the issuer or an API key. Undefined where it worked; else a sentence that says why not. */
export async function logInWithToken(token: string): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch('/api/v1/auth/verify', { headers, credentials: 'omit' }).catch(
    () => undefined,
  );
  if (!response) return 'The service cannot be reached.';
  if (response.status === 401) return 'The token is not valid, or it has expired.';
  if (!response.ok) return messageOf(response);
  keep({ access_token: token });
  return undefined;
}

export function logOut(): void {
  keepOwn(undefined);
  leave();
  tabs.end();
}

function leave(): void {
  // What this person has typed and not saved too.
  sessionStorage.clear();
  for (const forget of forgetting) forget();
  tell({ refused: true, open: false });
}

/** For what is in memory, and is of whoever was here. */
export function whenLoggedOut(forget: () => void): void {
  forgetting.add(forget);
}

/** The platform's fetch with this session's credentials. A body that is sent twice must be text. */
export function sessionFetch(url: string, init: RequestInit = {}): Promise<Response> {
  return inSession((authorization) => {
    const headers = new Headers(init.headers);
    if (authorization) headers.set('authorization', authorization);
    // Without `omit` the browser would answer the challenge of a 401 with a prompt of its own.
    return fetch(withOwner(url), { ...init, headers, credentials: 'omit' });
  });
}

/** Sends with this session's credentials, and once more with new ones where they are refused. */
export async function inSession(
  send: (authorization: string | undefined) => Promise<Response>,
): Promise<Response> {
  const used = tokens;
  const first = await send(authorization());
  if (first.status !== 401) return first;
  // Somebody else has renewed or replaced them meanwhile: what was refused is old.
  if (!used && tokens === used) await tabs.ask();
  const renewed = tokens !== used || (await renew());
  const second = renewed ? await send(authorization()) : first;
  if (second.status === 401) tell({ refused: true, open: false });
  return second;
}

function authorization(): string | undefined {
  return tokens && `Bearer ${tokens.access_token}`;
}

/** At most one at a time: with rotation a refresh token is spent by its use. */
function renew(): Promise<boolean> {
  const used = tokens;
  // Another tab may do the same.
  renewal ??= tabs
    .alone(async () => tokens !== used || (await renewed()))
    .finally(() => {
      renewal = undefined;
    });
  return renewal;
}

async function renewed(): Promise<boolean> {
  if (tokens?.refresh_token === undefined) return false;
  const { refresh_token } = tokens;
  const response = await post('/api/v1/auth/refresh', { refresh_token }).catch(() => undefined);
  if (response?.status === 401) keep(undefined);
  if (!response?.ok) return false;
  keep((await response.json()) as Tokens);
  return true;
}

function post(path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(BASE_PATH + path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    credentials: 'omit',
  });
}

function keep(next: Tokens | undefined): void {
  keepOwn(next);
  if (next) tabs.hand(next);
}

function keepOwn(next: Tokens | undefined): void {
  tokens = next;
  if (next) sessionStorage.setItem(KEY, JSON.stringify(next));
  else sessionStorage.removeItem(KEY);
  if (next) tell({ refused: false, open: true });
}

function tell(next: Session): void {
  if (next.refused === session.refused && next.open === session.open) return;
  session = next;
  for (const listener of listeners) listener();
}

function stored(): Tokens | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
