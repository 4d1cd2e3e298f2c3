/** Who uploaded which document of the knowledge base last. Files that were put into its folder by hand have nobody. */

export interface DocumentAuthors {
  set(document: string, author: string): Promise<void>;
  remove(document: string): Promise<void>;
  /** The documents that an author uploaded last. */
  by(author: string): Promise<string[]>;
  /** By document, of those that have one. */
  of(documents: readonly string[]): Promise<Map<string, string>>;
}
