/** All protocols of the service. A new protocol becomes a column in all shared tests. */
import { expect } from 'bun:test';
import type { TestService } from '../../support/service.ts';
import { JSON_RPC } from './json-rpc.ts';
import { OPENAI } from './openai.ts';
import { OWN } from './own.ts';
import { PAGES } from './pages.ts';
import type { Outcome, Protocol, ProtocolRequest, Question } from './protocol.ts';

export const PROTOCOLS: Protocol[] = [...OWN, ...OPENAI, ...JSON_RPC, ...PAGES];

type Service = Pick<TestService, 'fetch'>;

export function initOf(
  { method = 'POST', headers, body }: ProtocolRequest,
  more: RequestInit = {},
): RequestInit {
  const type = { 'content-type': 'application/json' };
  const own = body === undefined ? headers : { ...type, ...headers };
  return {
    ...{ method, ...more, headers: { ...own, ...(more.headers as Record<string, string>) } },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

export function send(service: Service, request: ProtocolRequest, more?: RequestInit): Promise<Response> {
  // A path such as /threads/.. is normalized to the root, which redirects to the studio.
  return service.fetch(request.path, { redirect: 'manual', ...initOf(request, more) });
}

export interface Answered extends Outcome {
  headers: Headers;
}

/** Sends a turn and reads the outcome. */
export async function ask(
  service: Service,
  protocol: Protocol,
  { workflow = 'echo', text = 'hi', thread }: Partial<Question> = {},
  more?: RequestInit,
): Promise<Answered> {
  const response = await send(service, protocol.ask({ workflow, text, thread }), more);
  const { headers } = response;
  return { ...(await protocol.read(response)), headers };
}

export interface Refused {
  status: number;
  code: string;
  /** Expected in the message or the detail. Plain-text errors are compared with it alone. */
  says: RegExp;
  /** Rejected by common code, by the protocol's own handler, or as the end of a run. Default: by common code. */
  by?: 'handler' | 'run';
}

/** Also checks that no response contains a path of this machine or a stack. */
export function expectRefused(
  protocol: Protocol,
  answered: Answered,
  { status, code, says, by }: Refused,
): void {
  const own = by === 'handler' ? protocol.refused : by === 'run' ? protocol.failedRun : undefined;
  const hasCode = by === 'run' ? protocol.name !== 'AI SDK' : !protocol.plain;
  expect({ status: answered.status, code: answered.code }).toEqual({
    status: own ?? status,
    code: hasCode ? code : undefined,
  });
  expect(answered.text).toMatch(says);
  expect(answered.text).not.toMatch(/\/work\/|node_modules|\bat .*:\d+:\d+/);
  expect(answered.headers.get('x-request-id')).toMatch(/^[\w.-]{1,128}$/);
  expect(answered.headers.get('x-content-type-options')).toBe('nosniff');
}
