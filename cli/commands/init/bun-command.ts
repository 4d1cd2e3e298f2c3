/** How a person calls Bun in the new project: by its name, or through npx, which is how they may have called this. */
import { delimiter } from 'node:path';

// What npx and `bun run` put before the PATH is there for this process only.
const PASSING = /[/\\](_npx[/\\]|node_modules[/\\]\.bin|bun-node-)/;

export function bunCommand(path: string): string {
  const lasting = path.split(delimiter).filter((folder) => !PASSING.test(folder));
  const isThere = Bun.which('bun', { PATH: lasting.join(delimiter) }) !== null;
  return isThere ? 'bun' : `npx --yes bun@${Bun.version}`;
}
