/** A provider. Arguments: the delay of a response and a pause after its first word, in ms (default: 0). Prints its URL. */
const [delay = 0, pause = 0] = process.argv.slice(2).map(Number);
const words =
  'Two and two make four, which is a plain answer of the length that models usually give to this.'.split(
    /(?<= )/,
  );
const piece = (body: object) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...body })}\n\n`;
const choice = (delta: object, finish_reason: string | null = null) =>
  piece({ choices: [{ index: 0, delta, finish_reason }] });
const usage = { prompt_tokens: 30, completion_tokens: 20, total_tokens: 50 };
const [firstWord = '', ...otherWords] = words.map((content) => choice({ content }));
const start = choice({ role: 'assistant', content: '' }) + firstWord;
const rest = [...otherWords, choice({}, 'stop'), piece({ choices: [], usage }), 'data: [DONE]\n\n'].join('');
const stream = start + rest;

async function* paused(): AsyncGenerator<string> {
  yield start;
  await Bun.sleep(pause);
  yield rest;
}

const whole = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: words.join('') }, finish_reason: 'stop' }],
  usage,
});

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    // The service requests the list of models at startup.
    if (request.method === 'GET') return Response.json({ object: 'list', data: [] });
    const body = (await request.json()) as { stream?: boolean };
    if (delay > 0) await Bun.sleep(delay);
    return body.stream
      ? new Response(pause > 0 ? (paused() as never) : stream, {
          headers: { 'content-type': 'text/event-stream' },
        })
      : new Response(whole, { headers: { 'content-type': 'application/json' } });
  },
});
console.log(`listening on http://127.0.0.1:${server.port}`);
