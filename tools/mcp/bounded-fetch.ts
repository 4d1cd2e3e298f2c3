/** The `fetch` of MCP's HTTP client: an answer has a bound, as a message over standard streams has. */

// A message of this size takes the parser some 40 ms.
export const MOST_BYTES = 4 * 2 ** 20;

/** Answers itself that there is no stream of what a server says unasked: nobody here listens to it. */
export async function boundedFetch(to: string | URL, init: RequestInit = {}): Promise<Response> {
  if ((init.method ?? 'GET') === 'GET') return new Response(null, { status: 405 });
  const response = await fetch(to, init);
  if (!response.body) return response;
  let bytes = 0;
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        bytes += piece.length;
        if (bytes > MOST_BYTES) controller.error(new Error('the answer is too large'));
        else controller.enqueue(piece);
      },
    }),
  );
  return new Response(bounded, response);
}
