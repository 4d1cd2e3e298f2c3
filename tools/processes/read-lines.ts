/** Splits a stream of bytes into lines of limited length. */

/** Ends with the stream. An incomplete last line is dropped. Throws if a line is longer than `maxBytes`. */
export async function* readLines(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    let start = 0;
    for (let at = piece.indexOf(LINE_END); at >= 0; at = piece.indexOf(LINE_END, start)) {
      const line = Buffer.concat([...pieces, piece.subarray(start, at)]).toString();
      pieces = [];
      size = 0;
      start = at + 1;
      yield line;
    }
    pieces.push(piece.subarray(start));
    size += piece.length - start;
    if (size > maxBytes) throw new RangeError(`a line is longer than ${maxBytes} bytes`);
  }
}

const LINE_END = 10;
