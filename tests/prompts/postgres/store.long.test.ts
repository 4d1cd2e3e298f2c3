/** The prompt store on a real PostgreSQL, with one server and with several. */
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { SQL } from 'bun';
import type { PromptName } from '../../../prompts/names.ts';
import { openPromptStorage, type PromptStorage } from '../../../prompts/open.ts';
import { FRESH_MS, postgresSource } from '../../../prompts/postgres/source.ts';
import { SkeinError } from '../../../state/errors.ts';
import { openPromptFiles } from '../../../state/postgres/prompts/open.ts';
import type { PromptFiles } from '../../../state/resources/prompt-files.ts';
import { type OpenedPrompts, promptStoreContract, refusal, shipped } from '../../contracts/prompts.ts';
import { freshDatabase, POSTGRES } from '../../support/postgres-database.ts';

setDefaultTimeout(60_000);

const NAME = { revision: 'v1', file: 'a.md' };
const OPTIONS = { storage: 'postgresql', path: 'unused' } as const;

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function openedDatabase() {
  const { url, drop } = await freshDatabase();
  const sql = new SQL({ url, max: 1 });
  closers.push(drop, () => sql.close({ timeout: 0 }));
  return { url, sql };
}

/** The prompt files of a server, with a separate connection. */
async function server(url: string): Promise<PromptStorage & { files: PromptFiles }> {
  const { files, close } = await openPromptFiles(url);
  closers.push(close);
  return { ...(await openPromptStorage(OPTIONS, shipped, files)), files };
}

/** Runs SQL as a person does in psql. */
const putByHand = (sql: SQL, { revision, file }: PromptName, text: string) =>
  sql`INSERT INTO skein.prompt_files (revision, file, content) VALUES (${revision}, ${file}, ${Buffer.from(text)})
      ON CONFLICT (revision, file) DO UPDATE SET content = excluded.content`;

const write = ({ store }: PromptStorage, text: string, ifMatch?: string) =>
  store.write(NAME, { bytes: Buffer.from(text), author: 'ana', ifMatch });

const used = async ({ source }: Pick<PromptStorage, 'source'>) =>
  (await source.read({ file: NAME.file }, NAME.revision))?.text;

describe.skipIf(!POSTGRES)('on a server', () => {
  promptStoreContract(
    async (): Promise<OpenedPrompts> => {
      const { url, drop } = await freshDatabase();
      const sql = new SQL({ url, max: 1 });
      const { files, close } = await openPromptFiles(url);
      const { store, source } = await openPromptStorage(OPTIONS, shipped, files);
      return {
        store,
        source,
        putByHand: async (name, text) => {
          await putByHand(sql, name, text);
        },
        // The current version is not in the history, so there may be nothing to overwrite.
        damage: async ({ revision, file }, version, text) => {
          await sql`UPDATE skein.prompt_versions SET content = ${Buffer.from(text)}
                    WHERE revision = ${revision} AND file = ${file} AND version = ${version}`;
        },
        isEmpty: async () => {
          const [row] = await sql`SELECT (SELECT count(*) FROM skein.prompt_files)
            + (SELECT count(*) FROM skein.prompt_versions) AS rows`;
          return Number(row.rows) === 0;
        },
        async close() {
          await close();
          await sql.close({ timeout: 0 });
          await drop();
        },
      };
    },
    { own: 'postgresql', many: 40 },
  );

  test('another server uses a change within two seconds, even without a notification', async () => {
    const { url, sql } = await openedDatabase();
    const [one, other] = [await server(url), await server(url)];
    await write(one, 'first');
    expect([await used(one), await used(other)]).toEqual(['first', 'first']);
    await write(one, 'second');
    expect(await used(one)).toBe('second');
    expect(await untilUsed(other, 'second')).toBeLessThan(2_000);
    // No notification is sent for this change.
    await putByHand(sql, NAME, 'by hand');
    expect(await untilUsed(other, 'by hand')).toBeLessThan(2_000);
    await sql`DELETE FROM skein.prompt_files`;
    const deletedAt = performance.now();
    while ((await used(other)) !== undefined) await Bun.sleep(10);
    expect(performance.now() - deletedAt).toBeLessThan(2_000);
  });

  test('a notification is faster than polling', async () => {
    const { url } = await openedDatabase();
    const [one, other] = [await server(url), await server(url)];
    // The source's clock doesn't advance, so only notifications make it query.
    const source = postgresSource({ files: other.files, shipped, clock: () => 0 });
    await write(one, 'first');
    await until(async () => (await used({ source })) === 'first');
    await until(async () => {
      await write(one, 'second');
      return (await used({ source })) === 'second';
    });
  });

  test('while nothing changes, calls only cost one small query per refresh interval', async () => {
    const { url } = await openedDatabase();
    const storage = await server(url);
    await write(storage, 'one');
    let time = 0;
    const queries: string[] = [];
    const files = counted(storage.files, queries);
    const source = postgresSource({ files, shipped, clock: () => time });
    expect(await Promise.all([used({ source }), used({ source })])).toEqual(['one', 'one']);
    for (time = 1; time < FRESH_MS; time += 100) await used({ source });
    expect(queries).toEqual(['change', 'read']);
    time = FRESH_MS;
    await used({ source });
    expect(queries).toEqual(['change', 'read', 'change']);
  });

  test('while the database is unreachable, the last text is used for a minute', async () => {
    const { url } = await openedDatabase();
    const storage = await server(url);
    await write(storage, 'one');
    let time = 0;
    let away = false;
    const files: PromptFiles = {
      ...storage.files,
      change: async () => {
        if (away) throw new SkeinError('STATE_UNAVAILABLE', { retryAfter: 1 });
        return storage.files.change();
      },
    };
    const source = postgresSource({ files, shipped, clock: () => time });
    expect(await used({ source })).toBe('one');
    away = true;
    time = 60_000;
    expect(await used({ source })).toBe('one');
    time = 61_600;
    expect(await refusal(used({ source }))).toBe('STATE_UNAVAILABLE');
    away = false;
    expect(await used({ source })).toBe('one');
  });

  test('concurrent writes of several servers lose no update, and each version exists once', async () => {
    const { url } = await openedDatabase();
    const servers = await Promise.all([server(url), server(url), server(url)]);
    const texts = servers.flatMap((_, s) => Array.from({ length: 8 }, (_, n) => `${s} ${n}`));
    const written = await Promise.all(
      texts.map((text, n) => write(servers[n % servers.length] as PromptStorage, text)),
    );
    expect(written.map(({ version }) => version).sort((a, b) => a - b)).toEqual(texts.map((_, n) => n + 1));
    const { store } = servers[0];
    const kept = await Promise.all(
      texts.map(async (_, n) => new TextDecoder().decode((await store.read(NAME, n + 1)).bytes)),
    );
    expect(kept.toSorted()).toEqual(texts.toSorted());
  });

  test('if several servers write on top of the same version, one wins', async () => {
    const { url } = await openedDatabase();
    const servers = await Promise.all([server(url), server(url), server(url)]);
    await write(servers[0], 'first');
    for (let round = 0; round < 10; round++) {
      const { etag } = await servers[1].store.read(NAME);
      const outcomes = await Promise.all(servers.map((one, n) => refusal(write(one, `${n}`, etag))));
      expect(outcomes.sort()).toEqual(['PROMPT_CONFLICT', 'PROMPT_CONFLICT', 'none']);
    }
  });

  test('a file that was deleted in the database and is created again continues its version numbers', async () => {
    const { url, sql } = await openedDatabase();
    const storage = await server(url);
    await write(storage, 'one');
    await sql`DELETE FROM skein.prompt_files`;
    expect(await refusal(storage.store.read(NAME))).toBe('PROMPT_NOT_FOUND');
    expect(await write(storage, 'two')).toMatchObject({ version: 2 });
    expect((await storage.store.history(NAME)).map(({ version }) => version)).toEqual([2, 1]);
  });

  test('a missing table is an error with its code, not a missing file', async () => {
    const { url, sql } = await openedDatabase();
    const storage = await server(url);
    await sql`DROP TABLE skein.prompt_files`;
    expect(storage.store.read(NAME)).rejects.toMatchObject({
      code: 'PROMPT_STORAGE_FAILED',
      detail: "prompt file 'a.md' of revision 'v1': SQLSTATE 42P01",
    });
    expect(await refusal(storage.source.read({ file: NAME.file }, 'v1'))).toBe('PROMPT_STORAGE_FAILED');
  });
});

/** Returns the milliseconds until calls get the text. */
async function untilUsed(storage: PromptStorage, text: string): Promise<number> {
  const began = performance.now();
  await until(async () => (await used(storage)) === text);
  return performance.now() - began;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await Bun.sleep(10);
}

/** A store without notifications. */
function counted(files: PromptFiles, queries: string[]): PromptFiles {
  return {
    ...files,
    watch: () => () => {},
    read(place, which) {
      queries.push('read');
      return files.read(place, which);
    },
    change() {
      queries.push('change');
      return files.change();
    },
  };
}
