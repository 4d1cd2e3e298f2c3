#!/bin/sh
//bin/sh -c :; command -v bun >/dev/null && exec bun --no-env-file "$0" "$@"; exec node "$0" "$@"
/** Starts the `skein` command, or says how to run it: valid in a shell, in Node.js and in any version of Bun. */
import { readFileSync } from 'node:fs';

if (typeof Bun === 'undefined') {
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const wanted = /[\d.]+/.exec(engines.bun)[0];
  const command = `npx --yes bun@${wanted} --no-env-file ${process.argv.slice(1).join(' ')}`;
  console.error(`skein runs on Bun, and this is Node.js: install Bun ${wanted} or newer, or run ${command}`);
  process.exitCode = 1;
} else {
  // Check the version before importing anything else: an old Bun may fail to parse it.
  const { oldBun } = await import('./install.ts');
  const problem = oldBun();
  if (problem === undefined) await import('./command-line.ts');
  else {
    console.error(problem);
    process.exitCode = 1;
  }
}
