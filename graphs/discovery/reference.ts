/** Parses `./file.ts:export` of langgraph.json: the file, its export, and whether it is Python. */
import { dirname, extname, resolve } from 'node:path';

export interface Reference {
  /** Absolute path. */
  path: string;
  /** `default` if the export is omitted. */
  export: string;
}

/** `file` is the langgraph.json: the path is relative to its folder. */
export function reference(text: string, file: string): Reference {
  const [path = '', name = ''] = text.split(':');
  return { path: resolve(dirname(file), path), export: name === '' ? 'default' : name };
}

const PYTHON_FILE = /^\.py[xdi]?$/;
const SCRIPT_FILE = /^\.[cm]?[jt]sx?$/;
const MODULE = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/;

/** Whether a text names a file of the project. */
export function isReference(text: string): boolean {
  return /^\.{0,2}\//.test(text);
}

/** A Python file, or a module path such as `my_agent.graph`. */
export function isPython(text: string): boolean {
  const [path = ''] = text.split(':');
  if (PYTHON_FILE.test(extname(path))) return true;
  return MODULE.test(path) && !SCRIPT_FILE.test(extname(path));
}
