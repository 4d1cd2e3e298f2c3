/** JSON from the command line, a file or standard input. */
import { readFile } from 'node:fs/promises';
import { Type } from '@sinclair/typebox';
import { configurationError, SkeinError } from '../../../state/errors.ts';
import { readJson } from '../../../tools/json/read-json.ts';

/** `-` is standard input. Throws the error of the file system if the file cannot be read. */
export function inputText(file: string): Promise<string> {
  return file === '-' ? Bun.stdin.text() : readFile(file, 'utf8');
}

/** Throws CONFIGURATION_ERROR with the position of the syntax error. */
export function givenJson(text: string, flag: string): unknown {
  try {
    return readJson(text, Type.Unknown());
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    throw configurationError(flag, `not JSON. ${error.message}`);
  }
}
