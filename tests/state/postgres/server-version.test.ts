import { expect, test } from 'bun:test';
import { assertServer } from '../../../state/postgres/database/migrate.ts';

test('a PostgreSQL older than 14 is rejected with its version', () => {
  for (const version of [140000, 140011, 170002]) expect(() => assertServer(version)).not.toThrow();
  expect(() => assertServer(130021)).toThrow('PostgreSQL 14 or newer is required, but the server is 13.21');
  expect(() => assertServer(90624)).toThrow('the server is 9.624');
});
