/** The thread options of `skein threads` and `chat`, validated by the API's own schemas. */
import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { ChatRequest } from '../../../server/chat/schema.ts';
import { PageLimit } from '../../../server/http/schemas/paging.ts';
import { ThreadStatus } from '../../../server/threads/shape.ts';
import { configurationError } from '../../../state/errors.ts';

const FILTERS: { flag: string; name: string; schema?: TSchema; expected?: string }[] = [
  { flag: '--workflow', name: 'workflow' },
  { flag: '--search', name: 'q' },
  {
    flag: '--status',
    name: 'status',
    schema: ThreadStatus,
    expected: ThreadStatus.anyOf.map((each) => each.const).join(', '),
  },
  { flag: '--limit', name: 'limit', schema: PageLimit, expected: 'a whole number from 1 to 100' },
];

/** Throws CONFIGURATION_ERROR, as below. */
export function threadQuery(own: ReadonlyMap<string, string>): URLSearchParams {
  const query = new URLSearchParams();
  for (const { flag, name, schema, expected } of FILTERS) {
    const value = own.get(flag);
    if (value === undefined) continue;
    if (schema && !Value.Check(schema, value)) throw configurationError(flag, `expected ${expected}`);
    query.set(name, value);
  }
  return query;
}

/** `field` is the flag or argument. Throws CONFIGURATION_ERROR if the id is not valid. */
export function checkedThreadId(id: string, field: string): string {
  const schema = ChatRequest.properties.thread_id;
  if (Value.Check(schema, id)) return id;
  throw configurationError(field, `expected a thread's id, ${schema.description}`);
}
