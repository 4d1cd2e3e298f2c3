/** Who uploaded which document of the knowledge base last. Files that were put into its folder by hand have nobody. */

export interface DocumentAuthors {
  set(document: string, author: string): Promise<void>;
  remove(document: string): Promise<void>;
  /** By document, of those that have one. */
  of(documents: readonly string[]): Promise<Map<string, string>>;
}
