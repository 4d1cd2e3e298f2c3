/** Limits the cost of a rendering in advance, for templates simple enough to estimate. */
import type { Program } from './parse.ts';
import type { Node } from './undefined.ts';

/** Number of nodes by loop depth; undefined for a template with other constructs than loops, conditions and values. */
export type Shape = readonly number[] | undefined;

// Measured, with a margin: a step of the interpreter, and one of these filters per character.
const STEP_NS = 500;
const CHARACTER_NS = 10;

/** Maximum nanoseconds of a rendering. */
export function costOf(shape: Shape, variables: Record<string, unknown>): number {
  if (!shape) return Number.POSITIVE_INFINITY;
  const { characters, longest } = sizeOf(variables);
  const steps = shape.reduce((sum, nodes, loops) => sum + nodes * longest ** loops, 0);
  return steps * (STEP_NS + characters * CHARACTER_NS);
}

export function shapeOf(program: Program): Shape {
  const shape: number[] = [];
  return countNodes(program, 0, shape) ? shape : undefined;
}

/** None of these returns more than its input. */
const PLAIN = [
  'Program',
  'If',
  'StringLiteral',
  'IntegerLiteral',
  'FloatLiteral',
  'Identifier',
  'Comment',
].concat(['MemberExpression', 'TestExpression', 'UnaryExpression', 'Ternary', 'SelectExpression']);
const OPERATORS = ['==', '!=', '<', '>', '<=', '>=', 'and', 'or', 'in', 'not in'];
const FILTERS = ['length', 'upper', 'lower', 'trim', 'first', 'last'];

function countNodes(value: unknown, loops: number, shape: number[]): boolean {
  if (Array.isArray(value)) return value.every((each) => countNodes(each, loops, shape));
  if (typeof value !== 'object' || value === null) return true;
  const node = value as Node & Record<string, unknown>;
  // Operators are tokens inside nodes.
  if (!isPlain(node)) return false;
  shape[loops] = (shape[loops] ?? 0) + 1;
  if (node.type !== 'For') return childrenOf(node).every((child) => countNodes(child, loops, shape));
  const { loopvar, iterable, body, defaultBlock } = node;
  shape[loops + 1] ??= 0;
  return (
    [loopvar, iterable, defaultBlock].every((child) => countNodes(child, loops, shape)) &&
    countNodes(body, loops + 1, shape)
  );
}

function childrenOf(node: Node & Record<string, unknown>): unknown[] {
  return Object.entries(node).flatMap(([name, child]) =>
    name === 'operator' || name === 'filter' || (name === 'test' && node.type === 'TestExpression')
      ? []
      : [child],
  );
}

function isPlain(node: Node & Record<string, unknown>): boolean {
  if (node.type === 'For')
    return isPath(node.iterable as Node) && (node.loopvar as Node).type === 'Identifier';
  if (node.type === 'BinaryExpression') return OPERATORS.includes((node.operator as { value: string }).value);
  if (node.type === 'FilterExpression')
    return FILTERS.includes(String(node.filter?.value)) && isPath(node.operand);
  return PLAIN.includes(node.type);
}

/** A variable, or a part of one. */
function isPath(node: Node | undefined): boolean {
  return (
    node?.type === 'Identifier' ||
    (node?.type === 'MemberExpression' && !node.computed && isPath(node.object))
  );
}

/** Total characters and values, and the length of the longest list or mapping. */
function sizeOf(variables: unknown): { characters: number; longest: number } {
  let [characters, longest] = [0, 0];
  const visit = (value: unknown): void => {
    characters += typeof value === 'string' ? value.length : 1;
    if (typeof value !== 'object' || value === null) return;
    const parts = Object.values(value);
    longest = Math.max(longest, parts.length);
    for (const part of parts) visit(part);
  };
  visit(variables);
  return { characters, longest };
}
