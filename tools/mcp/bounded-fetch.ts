/** The `fetch` of MCP's HTTP client: limits the size of an answer, as for messages over standard streams. */

// The parser takes some 40 ms for a message of this size.
export const MAX_BYTES = 4 * 2 ** 20;

/** Rejects the stream of unsolicited server messages without asking the server: this client doesn't read it. */
export async function boundedFetch(to: string | URL, init: RequestInit = {}): Promise<Response> {
  if ((init.method ?? 'GET') === 'GET') return new Response(null, { status: 405 });
  const response = await fetch(to, init);
  if (!response.body) return response;
  let bytes = 0;
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        bytes += piece.length;
        if (bytes > MAX_BYTES) controller.error(new Error('the response is too large'));
        else controller.enqueue(piece);
      },
    }),
  );
  return new Response(bounded, response);
}
