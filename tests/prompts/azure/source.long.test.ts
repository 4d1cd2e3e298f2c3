/** Which text model calls get while the storage changes, and how often the storage is queried. */
import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type Blobs, openBlobs } from '../../../prompts/azure/blobs.ts';
import { openContainer } from '../../../prompts/azure/container.ts';
import { type AzureSource, azureSource, FRESH_MS } from '../../../prompts/azure/source.ts';
import { refusal, shipped } from '../../contracts/prompts.ts';
import { startAzurite } from '../../support/azurite.ts';

setDefaultTimeout(60_000);

const azurite = await startAzurite();
afterAll(() => azurite?.kill());

const FILE = 'w.a.jinja';

describe.skipIf(!azurite)('the source', () => {
  let blobs: Blobs;
  let source: AzureSource;
  let gets: string[];
  let time: number;
  let down: boolean;
  let containers = 0;

  beforeEach(async () => {
    const container = await openContainer({
      container: `source-${++containers}`,
      prefix: '',
      connection_string: azurite?.connectionString ?? '',
    });
    blobs = openBlobs(container, '');
    [gets, time, down] = [[], 0, false];
    const watched: Blobs = {
      ...blobs,
      get: async (name, etag) => {
        gets.push(name);
        if (down) throw Object.assign(new Error('https://host.invalid'), { code: 'ServerBusy' });
        return blobs.get(name, etag);
      },
    };
    source = azureSource({ blobs: watched, shipped, clock: () => time });
  });

  async function put(text: string, revision = 'v1'): Promise<void> {
    const name = `${revision}/${FILE}`;
    const before = await blobs.get(name);
    const replaces = typeof before === 'object' ? before.etag : undefined;
    expect(await blobs.put(name, { bytes: Buffer.from(text), metadata: {} }, replaces)).toBeString();
  }

  const used = async () => (await source.read({ file: FILE }, 'v1'))?.text;

  test('calls within some seconds query the storage once, and so do concurrent calls', async () => {
    await put('one');
    expect(await Promise.all([used(), used(), used()])).toEqual(['one', 'one', 'one']);
    await put('two');
    time = FRESH_MS - 1;
    expect(await used()).toBe('one');
    expect(gets).toEqual(['v1/w.a.jinja']);
  });

  test('changes by other servers take effect after these seconds, and removed files are no longer used', async () => {
    await put('one');
    await used();
    await put('two');
    time += FRESH_MS;
    expect(await used()).toBe('two');
    time += FRESH_MS;
    expect(await used()).toBe('two');
    await blobs.remove(`v1/${FILE}`);
    time += FRESH_MS;
    expect(await used()).toBe('shipped');
  });

  test('a missing file is cached for the same time', async () => {
    expect([await used(), await used()]).toEqual(['shipped', 'shipped']);
    expect(gets).toEqual(['v1/w.a.jinja', 'default/w.a.jinja']);
    await put('two', 'default');
    time += FRESH_MS;
    expect(await used()).toBe('two');
  });

  test('a write by this server takes effect immediately, even if an older read returns later', async () => {
    await put('old');
    const older = used();
    source.wrote({ revision: 'v1', file: FILE }, { bytes: Buffer.from('new'), etag: '"new"', version: 2 });
    expect(await used()).toBe('new');
    await older;
    expect(await used()).toBe('new');
  });

  test('while the storage is down, the last text is used for a minute, and not every call queries the storage', async () => {
    await put('one');
    await used();
    down = true;
    time += FRESH_MS;
    expect([await used(), await used()]).toEqual(['one', 'one']);
    expect(gets).toHaveLength(2);
    time = 61_000;
    expect(await refusal(used())).toBe('PROMPT_STORAGE_FAILED');
    expect(used()).rejects.toMatchObject({
      detail: "prompt file 'w.a.jinja' of revision 'v1': ServerBusy",
    });
    down = false;
    expect(await used()).toBe('one');
  });

  test('a file that was never read fails while the storage is down', async () => {
    down = true;
    expect(await refusal(used())).toBe('PROMPT_STORAGE_FAILED');
  });

  test('it caches at most a thousand files', async () => {
    for (let n = 0; n <= 500; n++) await source.read({ file: `${n}.md` }, 'v1');
    expect(gets).toHaveLength(1_002);
    await source.read({ file: '500.md' }, 'v1');
    expect(gets).toHaveLength(1_002);
    await source.read({ file: '0.md' }, 'v1');
    expect(gets.length).toBeGreaterThan(1_002);
  });
});
