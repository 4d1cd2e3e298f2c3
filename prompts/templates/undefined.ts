/** Determines which variables a template requires. */
import type { Program } from './parse.ts';

/** The used fields of a node of the parsed template. */
export interface Node {
  type: string;
  value?: unknown;
  object?: Node;
  property?: Node;
  computed?: boolean;
  operand?: Node;
  test?: Node;
  filter?: Node;
  callee?: Node;
}

/** The parts of a node that may be undefined: the operands of `is defined`, `is undefined` and `default`. */
export function lenientNodes(node: Node | undefined): Node[] {
  if (node?.type !== 'TestExpression' && node?.type !== 'FilterExpression') return NONE;
  const { test, filter, operand } = node;
  const filterName = filter?.callee?.value ?? filter?.value;
  const asks = test?.value === 'defined' || test?.value === 'undefined' || filterName === 'default';
  return asks && operand ? chainOf(operand) : NONE;
}

const NONE: Node[] = [];

function chainOf(node: Node): Node[] {
  return node.type === 'MemberExpression' && node.object ? [node, ...chainOf(node.object)] : [node];
}

/** Names that a template reads but does not define, except those that it checks first. */
export function neededVariables(program: Program): Set<string> {
  const made = new Set<string>(['range', 'loop', 'caller', 'varargs', 'kwargs', 'true', 'false', 'none']);
  for (const name of ['True', 'False', 'None']) made.add(name);
  const read = new Set<string>();
  const lenient = new Set<unknown>();
  visit(program);
  return read.difference(made);

  function visit(value: unknown, key = ''): void {
    if (Array.isArray(value)) for (const each of value) visit(each);
    else if (value instanceof Map)
      for (const [name, each] of value) {
        visit(name);
        visit(each);
      }
    else if (typeof value === 'object' && value !== null) visitNode(value as Node, key);
  }

  function visitNode(node: Node, key: string): void {
    for (const each of lenientNodes(node)) lenient.add(each);
    if (node.type === 'Identifier') {
      if (MADE.includes(key)) made.add(String(node.value));
      else if (!lenient.has(node) && !NAMES.includes(key)) read.add(String(node.value));
      return;
    }
    for (const [name, child] of Object.entries(node)) {
      if (name === 'property' && !node.computed) continue;
      // A filter's name is not a variable, its arguments are.
      if (name === 'callee' && key === 'filter') continue;
      if (name === 'test' && node.type === 'TestExpression') continue;
      if (MADE.includes(name) && (child as Node)?.type === 'TupleLiteral')
        for (const each of (child as { value: Node[] }).value) visitNode(each, name);
      else if (name === 'args' && node.type === 'Macro') for (const each of child) visitParameter(each);
      else if (name === 'callerArgs') for (const each of child ?? []) visitParameter(each);
      else visit(child, name);
    }
  }

  function visitParameter(parameter: Node & { key?: Node }): void {
    made.add(String(parameter.key?.value ?? parameter.value));
    if (parameter.key) visit(parameter.value);
  }
}

// In these fields, an identifier is a name that the template defines, or not a variable.
const MADE = ['assignee', 'loopvar', 'name'];
const NAMES = ['filter', 'key'];
