/** Renders templates: directly if their cost is known to be small, otherwise in a worker with a deadline. */
import { costOf, type Shape, shapeOf } from './cost.ts';
import { LIMITS } from './limits.ts';
import { type Program, parseTemplate } from './parse.ts';
import { renderWithPosition } from './render-with-position.ts';
import { tagsOf, tagText } from './tags.ts';
import { neededVariables } from './undefined.ts';
import { renderThreads } from './workers.ts';

type Render = (template: string, variables: Record<string, unknown>) => Promise<string>;

/** All throw TemplateFailure, and OVERLOADED if too many calls wait for a worker. */
export interface Renderer {
  render: Render;
  /** The same for trial renderings by users, of which there may be many: nearly all run in a worker. */
  preview: Render;
  /** Names of the required variables. */
  needs(template: string): Promise<ReadonlySet<string>>;
}

interface Parsed {
  program: Program;
  shape: Shape;
}

const MAX_PARSED = 256;
const MAX_NS = { render: 20_000_000, preview: 1_000_000 };

export function createRenderer(): Renderer {
  /** By content; evicts the least recently used one. */
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
      if (parsed.size <= MAX_PARSED) break;
      parsed.delete(oldest);
    }
    return found;
  }

  function renderWithin(mostNs: number): Render {
    return async (template, variables) => {
      if (isSmall(template)) {
        const { program, shape } = parsedOf(template);
        if (costOf(shape, variables) <= mostNs) return renderWithPosition(template, program, variables);
      }
      return inThread.render(template, variables);
    };
  }

  return {
    render: renderWithin(MAX_NS.render),
    preview: renderWithin(MAX_NS.preview),
    async needs(template) {
      return isSmall(template) ? neededVariables(parsedOf(template).program) : inThread.needs(template);
    },
  };
}

/** Parsing a large one takes up to a tenth of a second, which must not block other work. */
export function isSmall(template: string): boolean {
  const { text, tagText: most } = LIMITS.parsedHere;
  return template.length <= text && tagText(tagsOf(template)) <= most;
}
