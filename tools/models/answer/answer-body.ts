/** Splits a provider's response into JSON documents: one per event, or a single one. */

import { ProviderError } from '../errors/provider-error.ts';
import { readText } from './body-text.ts';

// Far larger than any answer of a chat model, but small enough to keep a few hundred in memory.
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Passes on each document as it arrives. Throws a ProviderError. */
export async function readAnswer(response: Response, onDocument: (json: string) => void): Promise<void> {
  const { body, headers } = response;
  const type = headers.get('content-type') ?? '';
  if (!body) throw new ProviderError('malformed', "the provider's answer is empty");
  if (type.includes('text/html')) {
    void body.cancel();
    throw new ProviderError('malformed', 'the provider sent a web page');
  }
  const parts = type.includes('application/json') ? oneDocument(onDocument) : events(onDocument);
  await readText(body, (text, bytes) => {
    if (bytes > MAX_ANSWER_BYTES) throw tooLarge();
    return parts.add(text);
  });
  parts.end();
}

interface Parts {
  /** Whether the response says that it is complete. */
  add(text: string): boolean;
  end(): void;
}

/** For a provider that ignores `stream: true`. */
function oneDocument(onDocument: (json: string) => void): Parts {
  const pieces: string[] = [];
  return {
    add(text) {
      pieces.push(text);
      return false;
    },
    end: () => onDocument(pieces.join('')),
  };
}

/** Parses server-sent events, https://html.spec.whatwg.org/multipage/server-sent-events.html. Only `data` fields are used. */
function events(onDocument: (json: string) => void): Parts {
  // A line may arrive in any number of pieces. They are joined once, at the end of the line, to avoid quadratic time.
  let pieces: string[] = [];
  let data: string[] = [];
  let done = false;

  function add(text: string): boolean {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = pieces.join('') + text.slice(start, end);
      pieces = [];
      start = end + 1;
      addLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    }
    if (start < text.length) pieces.push(text.slice(start));
    return done;
  }

  function addLine(line: string): void {
    if (line === '') dispatch();
    else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
  }

  function dispatch(): void {
    const document = data.join('\n');
    data = [];
    if (document === '[DONE]') done = true;
    else if (document !== '' && !done) onDocument(document);
  }

  return {
    add,
    end() {
      if (!done) add('\n\n');
    },
  };
}

function tooLarge(): ProviderError {
  return new ProviderError('malformed', `the provider's answer exceeds ${MAX_ANSWER_BYTES} bytes`, {
    retryable: false,
  });
}
