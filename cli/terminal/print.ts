/** Prints a line on standard output. `console.log` ignores a full disk, and the command would exit with 0. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
