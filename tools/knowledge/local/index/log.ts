/** The log of a library's background work; a pino logger fits. */
export interface LibraryLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
