/** A provider that answers at once, or after the milliseconds given as argument; prints its address. */
const delay = Number(process.argv[2] ?? 0);
const words =
  'Two and two make four, which is a plain answer of the length that models usually give to this.'.split(
    /(?<= )/,
  );
const piece = (body: object) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...body })}\n\n`;
const choice = (delta: object, finish_reason: string | null = null) =>
  piece({ choices: [{ index: 0, delta, finish_reason }] });
const usage = { prompt_tokens: 30, completion_tokens: 20, total_tokens: 50 };
const stream = [
  choice({ role: 'assistant', content: '' }),
  ...words.map((content) => choice({ content })),
  choice({}, 'stop'),
  piece({ choices: [], usage }),
  'data: [DONE]\n\n',
].join('');
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
    const body = (await request.json()) as { stream?: boolean };
    if (delay > 0) await Bun.sleep(delay);
    return body.stream
      ? new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
      : new Response(whole, { headers: { 'content-type': 'application/json' } });
  },
});
console.log(`listening on http://127.0.0.1:${server.port}`);
