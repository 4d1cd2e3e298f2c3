/** A line on standard output. `console.log` keeps silent where the disk is full, and the command would end with 0. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
