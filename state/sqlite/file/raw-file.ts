/** Access to the bytes of the state file beside SQLite. */
import { closeSync, fdatasync, openSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { ReadBytes } from './page-remains.ts';

export interface RawFile {
  read: ReadBytes;
  write(bytes: Uint8Array, position: number): void;
  sync(): Promise<void>;
  /** Must be called after SQLite has closed the file: POSIX releases SQLite's locks when any descriptor of the file is closed. */
  close(): void;
}

const syncInThread = promisify(fdatasync);

/** Opens the file at the first access. */
export function rawFile(path: string): RawFile {
  let descriptor: number | undefined;
  const opened = () => {
    descriptor ??= openSync(path, 'r+');
    return descriptor;
  };
  return {
    read: (buffer, position) => readSync(opened(), buffer, 0, buffer.length, position),
    write: (bytes, position) => void writeSync(opened(), bytes, 0, bytes.length, position),
    sync: () => syncInThread(opened()),
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
    },
  };
}
