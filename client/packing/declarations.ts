/** The declarations of `skein-client`: those of the client as the compiler emits them, and the service's types written out. */
import { basename, dirname, join, relative } from 'node:path';
import ts from 'typescript-5';
import { typeText } from './type-text.ts';

const ROOT = join(import.meta.dir, '..', '..');
const ENTRY = join(ROOT, 'client/light/client.ts');
const SERVICE = join(ROOT, 'client/light/service.ts');

/** The relative path of an import or export. */
const IMPORTED = /(?<=from ')\.[^']+(?=';)/g;

/** The text of each file, by file name without folders. The entry is `index.d.ts`. */
export function declarations(): Map<string, string> {
  const program = ts.createProgram([ENTRY], compilerOptions());
  const files = new Map([[declarationName(SERVICE), serviceText(program)]]);
  const waiting = [ENTRY];
  for (const file of waiting) {
    const name = declarationName(file);
    if (files.has(name)) continue;
    const text = emitted(program, file).replace(IMPORTED, (path) => {
      const imported = join(dirname(file), path);
      waiting.push(imported);
      return `./${declarationName(imported, 'js')}`;
    });
    files.set(name, text);
  }
  return files;
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [ENTRY] }, ts.sys, ROOT);
  return { ...options, noEmit: false, declaration: true, emitDeclarationOnly: true };
}

/** The types of the service are all in one file. */
function declarationName(file: string, extension = 'd.ts'): string {
  const inClient = relative(join(ROOT, 'client'), file);
  if (file === ENTRY) return `index.${extension}`;
  return `${inClient.startsWith('..') ? 'service' : basename(file, '.ts')}.${extension}`;
}

function emitted(program: ts.Program, file: string): string {
  let text = '';
  program.emit(program.getSourceFile(file), (_, written) => (text = written), undefined, true);
  return text;
}

function serviceText(program: ts.Program): string {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(SERVICE);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${SERVICE}: the compiler finds no exports`);
  const names = new Map<string, string>();
  const write = typeText(checker, names);
  const lines = ['/** The shapes of the wire. */'];
  for (const symbol of checker.getExportsOfModule(module)) {
    const text = write(checker.getDeclaredTypeOfSymbol(symbol));
    names.set(text, symbol.name);
    lines.push(`export type ${symbol.name} = ${text};`);
  }
  return `${lines.join('\n')}\n`;
}
