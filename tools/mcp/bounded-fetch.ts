/** The `fetch` of MCP's HTTP client. Limits the size of a response, like that of messages over standard streams. */

// The parser takes about 40 ms for a message of this size.
export const MAX_BYTES = 4 * 2 ** 20;

/**
 * Answers requests for the stream of unsolicited messages with 405 without sending them, because this client doesn't read the
 * stream.
 */
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
