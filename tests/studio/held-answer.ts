/** A response of the provider that the test streams word by word. */
import { chunk, eventStream, opening, type Reply, USAGE } from '../support/provider.ts';

export interface HeldAnswer {
  reply: Reply;
  /** Resolves when the call arrives. */
  called: Promise<void>;
  /** A text, or a delta in OpenAI's format. */
  say(said: string | object): void;
  end(): void;
}

const HEAD = { id: 'held', created: 1, model: 'test-model' };

export function heldAnswer(): HeldAnswer {
  const called = Promise.withResolvers<void>();
  let controller: ReadableStreamDefaultController<string> | undefined;
  const stream = new ReadableStream<string>({
    start(given) {
      controller = given;
      given.enqueue(opening(HEAD));
    },
  });
  const send = (body: object) => controller?.enqueue(chunk(HEAD, body));
  return {
    reply() {
      called.resolve();
      return eventStream(stream as ReadableStream);
    },
    called: called.promise,
    say(said) {
      const delta = typeof said === 'string' ? { content: said } : said;
      send({ choices: [{ index: 0, delta, finish_reason: null }] });
    },
    end() {
      send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
      send({ choices: [], usage: USAGE });
      controller?.enqueue('data: [DONE]\n\n');
      controller?.close();
    },
  };
}
