/** Renders templates: at once where their cost is known to be small, in a thread with a deadline where it is not. */
import { costOf, type Shape, shapeOf } from './cost.ts';
import { type Program, parseTemplate } from './parse.ts';
import { renderTemplate } from './render.ts';
import { renderThreads } from './workers.ts';

export interface Renderer {
  /** Throws TemplateFailure; OVERLOADED where too many wait for a thread. */
  render(template: string, variables: Record<string, unknown>): Promise<string>;
}

interface Parsed {
  program: Program;
  shape: Shape;
}

const MOST_PARSED = 256;
const MOST_NS = 20_000_000;

export function createRenderer(): Renderer {
  /** By content; the one that was not used for longest goes first. */
  const parsed = new Map<string, Parsed>();
  const inThread = renderThreads();

  function parsedOf(template: string): Parsed {
    let found = parsed.get(template);
    if (found) parsed.delete(template);
    else {
      const program = parseTemplate(template);
      found = { program, shape: shapeOf(program) };
    }
    parsed.set(template, found);
    for (const oldest of parsed.keys()) {
      if (parsed.size <= MOST_PARSED) break;
      parsed.delete(oldest);
    }
    return found;
  }

  return {
    async render(template, variables) {
      const { program, shape } = parsedOf(template);
      if (costOf(shape, variables) <= MOST_NS) return renderTemplate(program, variables);
      return inThread({ template, variables });
    },
  };
}
