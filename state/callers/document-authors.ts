/** The last uploader of each document. Files that were copied into the folder by hand have no author. */

export interface DocumentAuthors {
  set(document: string, author: string): Promise<void>;
  remove(document: string): Promise<void>;
  /** The documents whose last uploader is `author`. */
  by(author: string): Promise<string[]>;
  /** The authors by document. Documents without an author are left out. */
  of(documents: readonly string[]): Promise<Map<string, string>>;
}
