/** Sample values for the variables of a template, used in the preview until you enter others. */
import { templateTags } from '../editor/template-tags.ts';

interface Shape {
  parts: Map<string, Shape>;
  isList: boolean;
}

const RESERVED = new Set(
  (
    'if elif else endif for endfor in set endset macro endmacro call endcall filter endfilter raw endraw break ' +
    'continue and or not is true false none True False None recursive loop range caller varargs kwargs'
  ).split(' '),
);

/** Sample values by variable: its name as text, an object of such texts, or a list with one item. */
export function sampleVariables(template: string): Record<string, unknown> {
  const root = newShape();
  /** Names that the template defines. A loop's variable has the shape of the list's items. */
  const defined = new Map<string, Shape>();
  for (const { inside } of templateTags(template)) readTag(namesIn(inside), root, defined);
  return Object.fromEntries(Array.from(root.parts, ([name, shape]) => [name, sampleOf(shape, name)]));
}

function newShape(): Shape {
  return { parts: new Map(), isList: false };
}

/** The inside of a tag without strings, filters, tests and names of arguments. */
function namesIn(inside: string): string {
  return (
    inside
      .replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""')
      .replaceAll(/\|\s*\w+|\bis\s+(?:not\s+)?\w+/g, ' ')
      // Names of arguments, but not the variable of a `set`.
      .replaceAll(/(?<!\bset\s)\b\w+\s*=(?!=)/g, ' ')
  );
}

function readTag(tag: string, root: Shape, defined: Map<string, Shape>): void {
  const loop = /^-?\s*for\s+([\w\s,]+?)\s+in\s+([\s\S]*)$/.exec(tag);
  const given = /^-?\s*(?:set|macro)\s+(\w+)\s*(?:\(([^)]*)\))?/.exec(tag);
  if (given)
    for (const name of `${given[1]},${given[2] ?? ''}`.match(/\w+/g) ?? []) defined.set(name, newShape());
  const paths = pathsIn(loop?.[2] ?? tag);
  const shapes = paths.map((path) => reached(path, root, defined));
  if (!loop) return;
  const [list] = shapes;
  const names = loop[1]?.match(/\w+/g) ?? [];
  if (list) list.isList = true;
  for (const name of names) defined.set(name, names.length === 1 && list ? list : newShape());
}

/** Paths such as `a.b.c` as lists of names, without function calls. */
function pathsIn(text: string): string[][] {
  return Array.from(
    text.matchAll(/(?<![\w.])([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*)(?![\w(])/g),
    ([, name = '', more = '']) => (RESERVED.has(name) ? [] : [name, ...more.split('.').filter(Boolean)]),
  ).filter((path) => path.length > 0);
}

function reached([name = '', ...more]: string[], root: Shape, defined: Map<string, Shape>): Shape {
  let shape = defined.get(name) ?? partOf(root, name);
  for (const part of more) shape = partOf(shape, part);
  return shape;
}

function partOf({ parts }: Shape, name: string): Shape {
  const part = parts.get(name) ?? newShape();
  parts.set(name, part);
  return part;
}

function sampleOf({ parts, isList }: Shape, place: string): unknown {
  const one =
    parts.size === 0
      ? place
      : Object.fromEntries(Array.from(parts, ([name, shape]) => [name, sampleOf(shape, `${place} ${name}`)]));
  return isList ? [one] : one;
}
