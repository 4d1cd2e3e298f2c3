/** Reports the service's state to systemd (sd_notify(3)) if a unit with `Type=notify` started it. */
import { dlopen, ptr } from 'bun:ffi';

export type Notice = 'READY=1' | 'STOPPING=1';

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_NOSIGNAL = 0x4000;
const PATH_AT = 2;
const MAX_PATH_BYTES = 107;

/**
 * False if nothing was sent: `NOTIFY_SOCKET` is not set or unreachable. Neither Bun nor Node supports datagrams on unix
 * sockets, so the C library sends them.
 */
export function notifySystemd(notice: Notice, socketPath = process.env.NOTIFY_SOCKET): boolean {
  // A leading @ means an abstract socket; vsock: and other forms are for virtual machines.
  if (socketPath === undefined || !/^[/@]/.test(socketPath) || process.platform !== 'linux') return false;
  const path = Buffer.from(socketPath.replace(/^@/, '\0'));
  if (path.length > MAX_PATH_BYTES) return false;
  try {
    return send(path, Buffer.from(notice));
  } catch {
    // Another C library: no systemd there.
    return false;
  }
}

function send(path: Buffer, message: Buffer): boolean {
  const address = Buffer.alloc(PATH_AT + path.length);
  // In the byte order of the machine, which is little-endian wherever Bun runs.
  address.writeUInt16LE(AF_UNIX);
  path.copy(address, PATH_AT);
  const { symbols, close } = dlopen('libc.so.6', {
    socket: { args: ['int', 'int', 'int'], returns: 'int' },
    sendto: { args: ['int', 'ptr', 'u64', 'int', 'ptr', 'u32'], returns: 'i64' },
    close: { args: ['int'], returns: 'int' },
  });
  try {
    const socket = symbols.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket < 0) return false;
    const to = { place: ptr(address), length: address.length };
    const sent = symbols.sendto(socket, ptr(message), message.length, MSG_NOSIGNAL, to.place, to.length);
    symbols.close(socket);
    return Number(sent) === message.length;
  } finally {
    close();
  }
}
