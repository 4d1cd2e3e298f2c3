/** JSON that is given on the command line, in a file or on standard input. */
import { readFile } from 'node:fs/promises';
import { Type } from '@sinclair/typebox';
import { configurationError, SkeinError } from '../../../state/errors.ts';
import { readJson } from '../../../tools/json/read-json.ts';

/** `-` is standard input. Throws what the file system says of a file. */
export function inputText(file: string): Promise<string> {
  return file === '-' ? Bun.stdin.text() : readFile(file, 'utf8');
}

/** Throws CONFIGURATION_ERROR with the place of what is not JSON. */
export function givenJson(text: string, flag: string): unknown {
  try {
    return readJson(text, Type.Unknown());
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    throw configurationError(flag, `not JSON. ${error.message}`);
  }
}
