/** Writes whole prompt files, for a test that kills it: `<folder> <file size>`. Exits when its parent does. */
import { localStore } from '../../../prompts/local/store.ts';

const [path = '', size = ''] = process.argv.slice(2);
const store = localStore({ path, shipped: { read: async () => undefined, list: async () => [] } });
process.stdin.on('end', () => process.exit()).resume();
for (let n = 0; ; n++) {
  const bytes = Buffer.from(String(n % 10).repeat(Number(size)));
  await store.write({ revision: 'v1', file: 'a.md' }, { bytes, author: 'writer' });
  if (n === 0) console.log('writing');
}
