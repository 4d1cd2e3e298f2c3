/** Headers that a service reads: for any value, the response is a documented one. */
import { expect } from 'bun:test';
import fc from 'fast-check';
import { anyOrder, property } from '../../../support/property.ts';
import { answerOf, expectRefused } from '../../support/refused.ts';
import { runningProvider, runningService } from '../../support/running.ts';

const provider = runningProvider();
const service = runningService(provider);

const ascii = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 40,
});
const number = fc.oneof(fc.nat().map(String), anyOrder(['0', '9', '-', '.', 'e', ' ', 'x', '+'], 18), ascii);

property(
  'Last-Event-ID is the number of an event, or it is rejected',
  [number],
  async (text) => {
    const headers = { 'last-event-id': text };
    const answer = await answerOf(service.fetch('/api/v1/runs/unknown/stream', { headers }));
    const isNumber = /^\d{0,15}$/.test(text.trim());
    expectRefused(answer, isNumber ? 404 : 400, isNumber ? 'RUN_NOT_FOUND' : 'INVALID_REQUEST');
  },
  { costs: 3 },
);

const type = fc.oneof(
  anyOrder(
    [
      'application',
      '/',
      'json',
      ';',
      ' ',
      'charset=utf-8',
      'text',
      'plain',
      'APPLICATION/JSON',
      '+json',
      ',',
    ],
    6,
  ),
  ascii,
);

property(
  'a body is read as JSON if and only if its content type is JSON',
  [type],
  async (text) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': text },
      body: '{"conversation_flow":"nowhere"}',
    };
    const answer = await answerOf(service.fetch('/api/v1/chat', init));
    const isJson = text.split(';')[0]?.trim().toLowerCase() === 'application/json';
    expect(answer.status).toBe(400);
    expect([text, answer.body.detail === 'content-type: expected application/json']).toEqual([text, !isJson]);
  },
  { costs: 3 },
);

const other = fc.record({
  accept: fc.oneof(
    ascii,
    anyOrder(['text/event-stream', 'application/json', '*/*', ';q=', '0', '1', ','], 6),
  ),
  prefer: fc.oneof(ascii, anyOrder(['respond-async', 'wait=', '1', ',', ';'], 4)),
  traceparent: fc.oneof(ascii, anyOrder(['00', '-', 'a'.repeat(32), 'b'.repeat(16), '01'], 7)),
  'x-request-id': ascii,
  'accept-encoding': fc.oneof(ascii, anyOrder(['gzip', 'br', 'zstd', '*', ';q=0', ', '], 6)),
  origin: ascii,
  'idempotency-key': ascii,
  'if-none-match': ascii,
});

property(
  'no value of any other header causes a server error',
  [other],
  async (headers) => {
    for (const path of ['/api/v1/workflows', '/api/v1/threads', '/docs']) {
      const response = await service.fetch(path, { headers: { ...headers } });
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get('x-request-id')).toMatch(/^[\x21-\x7e]{1,128}$/);
      await response.arrayBuffer();
    }
  },
  { costs: 3 },
);
