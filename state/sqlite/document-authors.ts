/** The authors of documents on SQLite. They are in the state file, because an index may be deleted and rebuilt. */
import type { Database } from 'bun:sqlite';
import type { DocumentAuthors } from '../callers/document-authors.ts';
import type { GroupCommit } from './file/group-commit.ts';

export function documentAuthors(db: Database, { write }: GroupCommit): DocumentAuthors {
  const find = db.query<{ author: string }, [string]>(
    'SELECT author FROM document_authors WHERE document = ?',
  );
  const findBy = db.query<{ document: string }, [string]>(
    'SELECT document FROM document_authors WHERE author = ? ORDER BY document',
  );
  const upsert = db.query<unknown, [string, string]>(
    `INSERT INTO document_authors (document, author) VALUES (?, ?)
     ON CONFLICT (document) DO UPDATE SET author = excluded.author`,
  );
  const remove = db.query<unknown, [string]>('DELETE FROM document_authors WHERE document = ?');
  return {
    set: (document, author) => write(`document ${document}`, () => void upsert.run(document, author)),
    remove: (document) => write(`document ${document}`, () => void remove.run(document)),
    by: async (author) => findBy.all(author).map(({ document }) => document),
    async of(documents) {
      const found = documents.map((document) => [document, find.get(document)?.author] as const);
      return new Map(found.filter((one): one is readonly [string, string] => one[1] !== undefined));
    },
  };
}
