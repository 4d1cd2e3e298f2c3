/** Parses text from a client that may be JSON, such as the answer to an interrupt. */
import { parseJson } from './json-body.ts';

/** Returns the JSON value, or the text if it isn't JSON that a request body may have. */
export function parseJsonOrText(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
