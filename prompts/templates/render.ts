/** Renders a parsed template within its limits. */
import { Environment, Interpreter } from '@huggingface/jinja';
import { TemplateFailure } from './failure.ts';
import { LIMITS } from './limits.ts';
import type { Program } from './parse.ts';
import { reasonOf } from './reason.ts';
import { lenientNodes, type Node } from './undefined.ts';
import { weigher } from './weight.ts';

type Value = ReturnType<Interpreter['evaluate']>;

/** Throws TemplateFailure for an undefined variable, an exceeded limit, or a step that fails. */
export function renderTemplate(program: Program, variables: Record<string, unknown>): string {
  const environment = new Environment();
  // The library's own, which templates may not use: a variable may have its name.
  environment.variables.clear();
  for (const [name, value] of Object.entries({ ...variables, ...CONSTANTS, range: boundedRange }))
    environment.set(name, value);
  try {
    const text = String(new BoundedInterpreter(environment).run(program).value);
    if (text.length > LIMITS.size) throw tooLarge();
    return text;
  } catch (error) {
    throw error instanceof TemplateFailure ? error : new TemplateFailure(reasonOf(error), undefined);
  }
}

const CONSTANTS = { true: true, false: false, none: null, True: true, False: false, None: null };

/** Checks the time before each step and the size after it: no step returns much more than its input. */
class BoundedInterpreter extends Interpreter {
  readonly #deadline = performance.now() + LIMITS.milliseconds;
  readonly #lenient = new WeakSet<object>();
  readonly #weigh = weigher();

  override evaluate(...[node, environment]: Parameters<Interpreter['evaluate']>): Value {
    if (performance.now() > this.#deadline)
      throw new TemplateFailure(`rendering takes longer than ${LIMITS.milliseconds} ms`);
    for (const lenient of lenientNodes(node as Node | undefined)) this.#lenient.add(lenient);
    const value = super.evaluate(node, environment);
    if (value === undefined || value.type === 'UndefinedValue')
      this.#refuseUndefined(node as Node | undefined);
    else if (this.#weigh(value) > LIMITS.size) throw tooLarge();
    return value;
  }

  #refuseUndefined(node: Node | undefined): void {
    if (!node || this.#lenient.has(node)) return;
    const name = pathOf(node);
    if (name === undefined || name.startsWith('loop.')) return;
    throw new TemplateFailure(`the variable '${name.slice(0, 100)}' is undefined`);
  }
}

/** `a`, `a.b`, `a[0]`; undefined for other expressions. */
function pathOf(node: Node): string | undefined {
  if (node.type === 'Identifier') return String(node.value);
  if (node.type !== 'MemberExpression' || !node.object || !node.property) return undefined;
  const object = pathOf(node.object);
  if (object === undefined) return undefined;
  return node.computed ? `${object}[${node.property.value ?? '...'}]` : `${object}.${node.property.value}`;
}

function boundedRange(start: number, stop?: number, step = 1): number[] {
  const [first, end] = stop === undefined ? [0, start] : [start, stop];
  const count = Math.max(0, Math.ceil((end - first) / step));
  if (!Number.isInteger(count)) throw new TemplateFailure('range requires numbers, and a step other than 0');
  if (count > LIMITS.range) throw new TemplateFailure(`range returns more than ${LIMITS.range} numbers`);
  return Array.from({ length: count }, (_, n) => first + n * step);
}

function tooLarge(): TemplateFailure {
  return new TemplateFailure(`the result has more than ${LIMITS.size} characters`);
}
