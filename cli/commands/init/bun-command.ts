/** How to call Bun in the new project: by its name, or through npx if this command runs through npx. */
import { delimiter } from 'node:path';

// npx and `bun run` add folders to the PATH of this process only; skip those.
const PASSING = /[/\\](_npx[/\\]|node_modules[/\\]\.bin|bun-node-)/;

export function bunCommand(path: string): string {
  const lasting = path.split(delimiter).filter((folder) => !PASSING.test(folder));
  const isThere = Bun.which('bun', { PATH: lasting.join(delimiter) }) !== null;
  return isThere ? 'bun' : `npx --yes bun@${Bun.version}`;
}
