/** Asserts that a response is an error of the contract: status, code, the exact shape of the body, and headers. */
import { expect } from 'bun:test';
import type { ErrorBody } from '../../../state/errors.ts';
import type { Answer } from '../../support/service.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Returns the body. `detail` is optional, and otherwise a text. */
export function expectRefused(answer: Answer, status: number, code: string): ErrorBody {
  const { body, headers } = answer;
  expect({ status: answer.status, error_code: body.error_code }).toEqual({ status, error_code: code });
  const { detail, ...rest } = body;
  if ('detail' in body) expect(detail).toBeString();
  expect(rest).toEqual({
    status: 'error',
    message: expect.stringMatching(/^\S.*\S$/),
    error_code: code,
    timestamp: expect.stringMatching(TIME),
    request_id: headers.get('x-request-id'),
  });
  expect(headers.get('content-type')).toStartWith('application/json');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  return body;
}

/** The same for OpenAI's API. */
export async function expectOpenAIRefused(
  call: Promise<Response>,
  status: number,
  code: string,
): Promise<void> {
  const response = await call;
  expect([response.status, await response.json()]).toEqual([
    status,
    { error: { message: expect.stringMatching(/^\S.*\S$/), type: expect.any(String), param: null, code } },
  ]);
}

/** The same for A2A, for a request that was rejected before its message was read. */
export async function expectA2ARefused(
  call: Promise<Response>,
  status: number,
  error_code: string,
): Promise<void> {
  const response = await call;
  const error = { code: expect.any(Number), message: expect.stringMatching(/^\S.*\S$/) };
  expect([response.status, await response.json()]).toEqual([
    status,
    { jsonrpc: '2.0', id: null, error: { ...error, data: expect.objectContaining({ error_code }) } },
  ]);
}

/** A response as the chat helper returns it. */
export async function answerOf(call: Promise<Response>): Promise<Answer> {
  const response = await call;
  return { status: response.status, headers: response.headers, body: await response.json() };
}
