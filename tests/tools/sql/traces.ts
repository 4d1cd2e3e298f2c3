/** The traces that a statement could leave: bytes of the database, files, open files and sockets of the processes. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Database } from './database.ts';
import { childrenOf } from './processes.ts';

/** Reads those of this process's children and of the database's folder. */
export function tracesOf(database: Database) {
  return {
    hash: Bun.hash(readFileSync(database.path)),
    files: readdirSync(database.folder, { recursive: true }).sort(),
    // Folders of tests that run at the same time are named skein-*.
    temporary: readdirSync(tmpdir()).filter((name) => /^(?!skein-).*(duckdb|\.wal|\.tmp$)/i.test(name)),
    working: childrenOf(process.pid).flatMap((pid) => readdirSync(`/proc/${pid}/cwd`)),
    network: childrenOf(process.pid).flatMap(networkSockets),
    // A process reads its own size occasionally.
    files_open: childrenOf(process.pid)
      .flatMap((pid) => regularFiles(pid, database.path))
      .filter((file) => !/^\/proc\/\d+\/stat$/.test(file)),
  };
}

/** Its standard streams are sockets between the two processes; those of a network are listed under net. */
function networkSockets(pid: number): string[] {
  const inodes = ['tcp', 'tcp6', 'udp', 'udp6', 'raw', 'raw6'].flatMap((kind) => {
    const lines = readFileSync(`/proc/${pid}/net/${kind}`, 'utf8').trim().split('\n').slice(1);
    return lines.map((line) => `socket:[${line.trim().split(/\s+/)[9]}]`);
  });
  return openOf(pid).filter((target) => inodes.includes(target));
}

function regularFiles(pid: number, path: string): string[] {
  // Bun itself occasionally reads the process's files in /proc.
  const isOwn = (target: string) =>
    target === path || target === '/dev/null' || target.startsWith(`/proc/${pid}/`);
  return openOf(pid).filter((target) => target.startsWith('/') && !isOwn(target));
}

function openOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${descriptor}`)];
    } catch {
      return [];
    }
  });
}
