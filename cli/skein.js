#!/bin/sh
//bin/sh -c :; command -v bun >/dev/null && exec bun --no-env-file "$0" "$@"; exec node "$0" "$@"
/** Starts the `skein` command where it can run, else says how: for a shell, for Node.js and for a Bun of any age. */
import { readFileSync } from 'node:fs';

if (typeof Bun === 'undefined') {
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const wanted = /[\d.]+/.exec(engines.bun)[0];
  const command = `npx --yes bun@${wanted} --no-env-file ${process.argv.slice(1).join(' ')}`;
  console.error(`skein runs on Bun, and this is Node.js: install Bun ${wanted} or newer, or run ${command}`);
  process.exitCode = 1;
} else {
  // Nothing else is imported before the version is known: an old Bun may not understand it.
  const { oldBun } = await import('./install.ts');
  const problem = oldBun();
  if (problem === undefined) await import('./command-line.ts');
  else {
    console.error(problem);
    process.exitCode = 1;
  }
}
