/** Reads one line without echo. */
import { createInterface } from 'node:readline/promises';

/** From a terminal, after `prompt`; otherwise the first line of standard input. */
export async function readSecret(prompt: string): Promise<string> {
  const { stdin } = process;
  if (!stdin.isTTY) return (await Bun.stdin.text()).split(/\r?\n/)[0] ?? '';
  process.stderr.write(prompt);
  const echo = (mode: 'echo' | '-echo') => Bun.spawnSync(['stty', mode], { stdin: 'inherit' });
  echo('-echo');
  try {
    return await createInterface({ input: stdin }).question('');
  } finally {
    echo('echo');
    process.stderr.write('\n');
    stdin.pause();
  }
}
