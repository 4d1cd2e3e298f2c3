/** The log-in session: its tokens, which open tabs share, and a fetch that sends and renews them. */
import { useSyncExternalStore } from 'react';
import { BASE_PATH } from '../routing/base-path.ts';
import { withOwner } from '../routing/owner.ts';
import { createTabSession } from './tab-session.ts';

interface Tokens {
  access_token: string;
  /** Undefined for an API key or a token from an external issuer. */
  refresh_token?: string;
}

export interface Session {
  /** Whether the service has rejected the credentials, so that the log-in form must be shown. */
  refused: boolean;
  /** Whether there are tokens. */
  open: boolean;
}

// Session storage is deleted with the tab. Tabs that are still open keep the tokens and share them with new tabs.
const KEY = `skein.session${BASE_PATH}`;
const listeners = new Set<() => void>();
const logoutListeners = new Set<() => void>();
let tokens = stored();
let session: Session = { refused: false, open: tokens !== undefined };
let renewal: Promise<boolean> | undefined;
const tabs = createTabSession<Tokens>(KEY, {
  current: () => tokens,
  onTokens: setTokens,
  onEnd: () => {
    setTokens(undefined);
    endSession();
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

/** Returns undefined on success, otherwise an error message. */
export async function logIn(username: string, password: string): Promise<string | undefined> {
  const response = await post('/api/v1/auth/login', { username, password }).catch(() => undefined);
  if (!response) return "Can't reach the service. Check your connection and try again.";
  if (response.ok) {
    setSharedTokens((await response.json()) as Tokens);
    return undefined;
  }
  if (response.status === 401) return 'Incorrect username or password.';
  if (response.status === 429) return 'Too many attempts. Wait a minute and try again.';
  return messageOf(response);
}

async function messageOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => ({}))) as { message?: string };
  return body.message ?? `The service returned status ${response.status}.`;
}

/** Logs in with an issuer's access token or an API key. Returns undefined on success, otherwise an error message. */
export async function logInWithToken(token: string): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${BASE_PATH}/api/v1/auth/verify`, { headers, credentials: 'omit' }).catch(
    () => undefined,
  );
  if (!response) return "Can't reach the service. Check your connection and try again.";
  if (response.status === 401) return 'The token is invalid or has expired.';
  if (!response.ok) return messageOf(response);
  setSharedTokens({ access_token: token });
  return undefined;
}

export function logOut(): void {
  setTokens(undefined);
  endSession();
  tabs.end();
}

function endSession(): void {
  // This also deletes drafts, which belong to the person who has logged out.
  sessionStorage.clear();
  for (const clear of logoutListeners) clear();
  setSession({ refused: true, open: false });
}

/** Calls `clear` at log-out. For data in memory that belongs to the logged-in person. */
export function onLogout(clear: () => void): void {
  logoutListeners.add(clear);
}

/** `fetch` with this session's credentials. The body must be text, because the request may be sent twice. */
export function sessionFetch(url: string, init: RequestInit = {}): Promise<Response> {
  return inSession((authorization) => {
    const headers = new Headers(init.headers);
    if (authorization) headers.set('authorization', authorization);
    // Without `omit`, the browser shows its own password prompt for a 401.
    return fetch(withOwner(url), { ...init, headers, credentials: 'omit' });
  });
}

/** Sends a request with this session's credentials. If they are rejected, renews them and sends it again. */
export async function inSession(
  send: (authorization: string | undefined) => Promise<Response>,
): Promise<Response> {
  const used = tokens;
  const first = await send(authorization());
  if (first.status !== 401) return first;
  // If the tokens have changed since, the rejected ones were old: send again without another renewal.
  if (!used && tokens === used) await tabs.request();
  const renewed = tokens !== used || (await renew());
  const second = renewed ? await send(authorization()) : first;
  if (second.status === 401) setSession({ refused: true, open: false });
  return second;
}

function authorization(): string | undefined {
  return tokens && `Bearer ${tokens.access_token}`;
}

/** Renews the tokens, one request at a time: with rotation, a refresh token is valid once. */
function renew(): Promise<boolean> {
  const used = tokens;
  // Another tab may be renewing them too.
  renewal ??= tabs
    .exclusively(async () => tokens !== used || (await renewed()))
    .finally(() => {
      renewal = undefined;
    });
  return renewal;
}

async function renewed(): Promise<boolean> {
  if (tokens?.refresh_token === undefined) return false;
  const { refresh_token } = tokens;
  const response = await post('/api/v1/auth/refresh', { refresh_token }).catch(() => undefined);
  if (response?.status === 401) setSharedTokens(undefined);
  if (!response?.ok) return false;
  setSharedTokens((await response.json()) as Tokens);
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

function setSharedTokens(next: Tokens | undefined): void {
  setTokens(next);
  if (next) tabs.share(next);
}

function setTokens(next: Tokens | undefined): void {
  tokens = next;
  if (next) sessionStorage.setItem(KEY, JSON.stringify(next));
  else sessionStorage.removeItem(KEY);
  if (next) setSession({ refused: false, open: true });
}

function setSession(next: Session): void {
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
