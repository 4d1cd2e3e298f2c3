/** A CSV file in UTF-8, which DuckDB needs, beside the database during the import. */
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** The encoding of the byte order mark, if it isn't UTF-8. */
export async function markedEncoding(file: string): Promise<string | undefined> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    if (bytesRead < 2) return undefined;
    if (buffer[0] === 0xff && buffer[1] === 0xfe) return 'utf-16le';
    return buffer[0] === 0xfe && buffer[1] === 0xff ? 'utf-16be' : undefined;
  } finally {
    await handle.close();
  }
}

/** Writes the unpacked text of `file` to `target`. Throws if a byte is invalid in the encoding. */
export async function writeAsUtf8(file: string, target: string, encoding: string): Promise<void> {
  const unpacked = file.toLowerCase().endsWith('.gz') ? [createGunzip()] : [];
  await pipeline([createReadStream(file), ...unpacked, decoding(encoding), createWriteStream(target)]);
}

function decoding(encoding: string): Transform {
  const decoder = new TextDecoder(encoding as Bun.Encoding, { fatal: true });
  const decoded = (chunk?: Buffer): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (cause) {
      throw new Error(`the text is not ${encoding}; set its encoding with --encoding`, { cause });
    }
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        done(null, decoded(chunk));
      } catch (error) {
        done(error as Error);
      }
    },
    flush(done) {
      try {
        done(null, decoded());
      } catch (error) {
        done(error as Error);
      }
    },
  });
}
