/** Where a library says what it does by itself; a pino logger is one. */
export interface LibraryLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
