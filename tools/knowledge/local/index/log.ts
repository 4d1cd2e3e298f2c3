/** The log of a library's background work, such as a pino logger. */
export interface LibraryLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
