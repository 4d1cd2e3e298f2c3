/** Preloaded by `test:quick`: a test that starts a process fails with the name that its file should have. */
import { mock } from 'bun:test';
import * as childProcess from 'node:child_process';

const refuse = () => {
  throw new Error('this test starts a process: name its file *.process.test.ts');
};
const refused = Object.fromEntries(
  Object.entries(childProcess).map(([name, value]) => [name, typeof value === 'function' ? refuse : value]),
);

Object.assign(Bun, { spawn: refuse, spawnSync: refuse });
mock.module('node:child_process', () => ({ ...refused, default: refused }));
