/** Values for the variables that a template reads, so that a preview shows something before anybody has typed any. */

import { templateTags } from './template-tags.ts';

interface Shape {
  parts: Map<string, Shape>;
  isList: boolean;
}

const WORDS = new Set(
  (
    'if elif else endif for endfor in set endset macro endmacro call endcall filter endfilter raw endraw break ' +
    'continue and or not is true false none True False None recursive loop range caller varargs kwargs'
  ).split(' '),
);

/** By name: a text that says what it stands for, an object of such, or a list of one. */
export function sampleVariables(template: string): Record<string, unknown> {
  const root = newShape();
  /** Names that the template makes itself; what a loop's name stands for is an item of its list. */
  const made = new Map<string, Shape>();
  for (const { inside } of templateTags(template)) readTag(namesIn(inside), root, made);
  return Object.fromEntries(Array.from(root.parts, ([name, shape]) => [name, sampleOf(shape, name)]));
}

function newShape(): Shape {
  return { parts: new Map(), isList: false };
}

/** The inside of a tag, without what is no name in it. */
function namesIn(inside: string): string {
  return (
    inside
      .replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""')
      .replaceAll(/\|\s*\w+|\bis\s+(?:not\s+)?\w+/g, ' ')
      // Names of arguments; what `set` names is known as its own.
      .replaceAll(/(?<!\bset\s)\b\w+\s*=(?!=)/g, ' ')
  );
}

function readTag(tag: string, root: Shape, made: Map<string, Shape>): void {
  const loop = /^-?\s*for\s+([\w\s,]+?)\s+in\s+([\s\S]*)$/.exec(tag);
  const given = /^-?\s*(?:set|macro)\s+(\w+)\s*(?:\(([^)]*)\))?/.exec(tag);
  if (given)
    for (const name of `${given[1]},${given[2] ?? ''}`.match(/\w+/g) ?? []) made.set(name, newShape());
  const paths = pathsIn(loop?.[2] ?? tag);
  const shapes = paths.map((path) => reached(path, root, made));
  if (!loop) return;
  const [list] = shapes;
  const names = loop[1]?.match(/\w+/g) ?? [];
  if (list) list.isList = true;
  for (const name of names) made.set(name, names.length === 1 && list ? list : newShape());
}

/** `a.b.c` as its parts; calls are none. */
function pathsIn(text: string): string[][] {
  return Array.from(
    text.matchAll(/(?<![\w.])([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*)(?![\w(])/g),
    ([, name = '', more = '']) => (WORDS.has(name) ? [] : [name, ...more.split('.').filter(Boolean)]),
  ).filter((path) => path.length > 0);
}

function reached([name = '', ...more]: string[], root: Shape, made: Map<string, Shape>): Shape {
  let shape = made.get(name) ?? partOf(root, name);
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
