/** The methods that a path supports, for `Allow` and for 405. */
import { expect, test } from 'bun:test';
import { routeTable } from '../../../server/http/route-table.ts';

const table = routeTable([
  { method: 'GET', path: '/threads/:thread_id' },
  { method: 'DELETE', path: '/threads/:thread_id' },
  { method: 'POST', path: '/threads/search' },
  { method: 'GET', path: '/threads/:thread_id/state/:checkpoint_id' },
  { method: 'POST', path: '/threads/:thread_id/state/checkpoint' },
  { method: 'GET', path: '/docs/*' },
]);

test.each([
  ['/threads/1', ['GET', 'HEAD', 'DELETE'], '/threads/:thread_id'],
  ['/threads/1/', ['GET', 'HEAD', 'DELETE'], '/threads/:thread_id'],
  ['/threads/search', ['POST'], '/threads/search'],
  ['/threads/1/state/2', ['GET', 'HEAD'], '/threads/:thread_id/state/:checkpoint_id'],
  ['/threads/1/state/checkpoint', ['POST'], '/threads/:thread_id/state/checkpoint'],
  ['/docs/a/b', ['GET', 'HEAD'], '/docs/*'],
  ['/threads', [], ''],
])('%s has the methods %p', (path, methods, pattern) => {
  expect(table.at(path)).toEqual({ methods, path: pattern });
});
