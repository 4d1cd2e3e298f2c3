/** Parses and renders templates in a worker thread, which its owner may terminate at any time. */
import { TemplateFailure } from './failure.ts';
import { parseTemplate } from './parse.ts';
import { renderWithPosition } from './render-with-position.ts';
import { neededVariables } from './undefined.ts';

/** Without variables: returns the required ones. */
export interface Job {
  template: string;
  variables?: Record<string, unknown>;
}

export type Outcome = { text: string } | { needs: ReadonlySet<string> } | { failure: string };

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<Job>) => self.postMessage(outcomeOf(data));
self.postMessage('ready');

function outcomeOf({ template, variables }: Job): Outcome {
  try {
    const program = parseTemplate(template);
    if (!variables) return { needs: neededVariables(program) };
    return { text: renderWithPosition(template, program, variables) };
  } catch (error) {
    return { failure: error instanceof TemplateFailure ? error.message : 'it cannot be rendered' };
  }
}
