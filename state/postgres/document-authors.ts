/** The authors of documents on PostgreSQL. */
import type { DocumentAuthors } from '../callers/document-authors.ts';
import { type Database, document } from './database/database.ts';

export function documentAuthors(database: Database): DocumentAuthors {
  return {
    async set(name, author) {
      await database.run(
        `INSERT INTO skein.document_authors (document, author) VALUES ($1, $2)
         ON CONFLICT (document) DO UPDATE SET author = excluded.author`,
        name,
        author,
      );
    },
    async remove(name) {
      await database.run('DELETE FROM skein.document_authors WHERE document = $1', name);
    },
    async by(author) {
      const found = await database.all<{ document: string }>(
        'SELECT document FROM skein.document_authors WHERE author = $1 ORDER BY document COLLATE "C"',
        author,
      );
      return found.map((row) => row.document);
    },
    async of(documents) {
      const found = await database.all<{ document: string; author: string }>(
        `SELECT document, author FROM skein.document_authors
         WHERE document IN (SELECT jsonb_array_elements_text($1::text::jsonb))`,
        document(documents),
      );
      return new Map(found.map((row) => [row.document, row.author]));
    },
  };
}
