/** Errors as commands print them: one line with the reason, and nothing that moves the cursor. */

const ACTS_ON_TERMINAL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Replaces control characters, escapes and bidirectional marks with their code points. */
export function printable(text: string): string {
  return text.replace(ACTS_ON_TERMINAL, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`);
}

/** Returns the exit code. */
export function failed(message: string): number {
  console.error(printable(message));
  return 1;
}

/** An error of a file or a connection: people need its name and the reason, not a stack. */
export function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

/** The first line of an error of DuckDB or the file system, without the parts for programs. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (isLocked(text)) return 'another process uses this file; stop it first';
  if (/^IO Error: Extension /.test(text)) return 'it is not a DuckDB database';
  if (/^(ENOTDIR:|EEXIST: .*, mkdir)/.test(text)) return 'one of its folders is a file';
  const [line = ''] = text.split('\n');
  return /^E[A-Z]+: ([^,]+)/.exec(line)?.[1] ?? line;
}

/** The database's reason with its line, without advice on options that this command does not have. */
export function reasonWithLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (isLocked(text)) return reasonOf(error);
  const [advice = ''] = text.split(/\n\s*(?:Possible (?:fixes|solutions)|Try |See also|LINE \d|\* )/i);
  return advice
    .replace(/\n\s*/g, '; ')
    .replace(/["']?[^"'\s]*\/([^/"'\s]+)["']?/g, '$1')
    .trim();
}

/** Only the beginning is DuckDB's; file names follow. */
function isLocked(text: string): boolean {
  return /^IO Error: Could not set lock on file /.test(text);
}
