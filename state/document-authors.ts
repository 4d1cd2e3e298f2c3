/** The last uploader of each document. Files that were copied into the folder by hand have none. */

export interface DocumentAuthors {
  set(document: string, author: string): Promise<void>;
  remove(document: string): Promise<void>;
  /** The documents that an author uploaded last. */
  by(author: string): Promise<string[]>;
  /** By document, for those that have an author. */
  of(documents: readonly string[]): Promise<Map<string, string>>;
}
