/** The last uploader of a document, on each driver. */
import { expect, test } from 'bun:test';
import { documentAuthors } from '../../../state/postgres/document-authors.ts';
import { drivers } from '../../support/open-drivers.ts';

const DRIVERS = drivers({ sqlite: (state) => state.documentAuthors, postgres: documentAuthors });

for (const { name, skip, open } of DRIVERS)
  test.skipIf(skip)(`${name}: the last uploader of a document is stored until it is removed`, async () => {
    const { stores, reopen, close } = await open();
    expect(await stores.of([])).toEqual(new Map());
    await stores.set("it's.md", 'ann');
    await stores.set("it's.md", 'bob');
    await stores.set('gone.md', 'ann');
    await stores.remove('gone.md');
    await stores.remove('never.md');
    const again = await reopen();
    expect(await again.of(['gone.md', "it's.md", 'other.md'])).toEqual(new Map([["it's.md", 'bob']]));
    expect([await again.by('bob'), await again.by('ann')]).toEqual([["it's.md"], []]);
    await close();
  });
