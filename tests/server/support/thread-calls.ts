/** Calls of the endpoints for threads. */
import type { Answer } from '../../support/service.ts';
import type { RunningService } from './running.ts';

export type Call = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** Paths are relative to /api/v1. A response without a body becomes null. */
export function callsOf(service: RunningService): Call {
  return async (method, path, body) => {
    const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await service.fetch(`/api/v1${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? null : JSON.parse(text),
    };
  };
}

/** Returns all items of a list, from all pages. */
export async function allOf(call: Call, path: string, name: string, limit: number): Promise<unknown[]> {
  const items: unknown[] = [];
  let cursor = '';
  do {
    const separator = path.includes('?') ? '&' : '?';
    const { body } = await call('GET', `${path}${separator}limit=${limit}${cursor && `&cursor=${cursor}`}`);
    items.push(...body[name]);
    cursor = body.next_cursor ?? '';
  } while (cursor !== '');
  return items;
}
