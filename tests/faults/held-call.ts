/** Holds the model's answer to an agent, so that the process can be ended during the call. */
import type { ReceivedEvent } from '../support/listener.ts';
import { type ChatRequest, completion, isStructured, type Provider } from '../support/provider.ts';
import { agentOf, textOf } from './killed-workflows.ts';

export interface Held {
  agent: string;
  call: 'unanswered' | 'half answered';
}

export interface Hold {
  /** Called with all events that the client has received so far. */
  onEvents(events: ReceivedEvent[]): void;
  /** Lets further calls pass. */
  end(): void;
}

/** `strike` is called once the agent waits for its model, or for the rest of the answer, and the client has received the events before. */
export function hold(provider: Provider, { agent, call }: Held, onHeld: () => void): Hold {
  const { script } = provider;
  let awaited: string | undefined;
  let received: ReceivedEvent[] = [];
  let wasCalled = false;
  const look = () => {
    if (wasCalled || !received.some(({ event, data }) => event === awaited && data.agent === agent)) return;
    wasCalled = true;
    onHeld();
  };
  provider.script = (request, index) => {
    if (agentOf(request) !== agent) return script(request, index);
    awaited = call === 'half answered' && !isStructured(request) ? 'token' : 'agent';
    look();
    return call === 'unanswered' ? new Promise<Response>(() => {}) : half(request);
  };
  return {
    onEvents(events) {
      received = events;
      look();
    },
    end() {
      provider.script = script;
    },
  };
}

async function half(request: ChatRequest): Promise<Response> {
  const complete = completion(textOf(request), request);
  const text = await complete.text();
  const body = new ReadableStream({
    start: (stream) => stream.enqueue(new TextEncoder().encode(text.slice(0, text.length / 2))),
  });
  return new Response(body, { headers: complete.headers });
}
