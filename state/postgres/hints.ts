/**
 * What servers tell each other: hints, which may be lost, never in a transaction that writes. All that comes within a
 * moment goes as one notification.
 */
import type { StopReason } from '../coordination.ts';
import type { Database } from './database/database.ts';

/** What one notification says. */
export interface News {
  /** Which server says it. */
  from: string;
  /** A run waits that anybody with room may claim. */
  ready?: boolean;
  stops?: { runId: string; reason: StopReason }[];
  /** Runs that this server has claimed, and did not accept itself. */
  claimed?: string[];
  /** Runs whose log has more, as far as somebody follows them. */
  progress?: string[];
  /** Runs that somebody here follows, for the next while. */
  follows?: string[];
}

export interface Hints {
  send(news: Omit<News, 'from'>): void;
  /** A run's log has more. */
  progress(runId: string): void;
  /** Whether another server follows the run. */
  isFollowed(runId: string): boolean;
  close(): void;
}

const CHANNEL = 'skein';
// At most twenty notifications a second from one server.
const PAUSE_MS = 50;
// PostgreSQL takes up to 8000 bytes; a run is 40.
const MOST_RUNS = 80;
/** Longer than followers take to say it again. */
const FOLLOWED_MS = 25_000;

/** Resolves when this server hears the others. */
export async function openHints(
  database: Database,
  server: string,
  hear: (news: News) => void,
): Promise<Hints> {
  /** Runs that other servers follow, and until when. */
  const followed = new Map<string, number>();
  let waiting: Omit<News, 'from'> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  let closed = false;

  await database.listen(CHANNEL, (payload) => {
    const news = parsed(payload);
    if (closed || !news || news.from === server) return;
    for (const runId of news.follows ?? []) followed.set(runId, Date.now() + FOLLOWED_MS);
    hear(news);
  });

  function send(news: Omit<News, 'from'>): void {
    if (closed) return;
    waiting = joined(waiting ?? {}, news);
    timer ??= setTimeout(flush, Math.max(0, last + PAUSE_MS - Date.now()));
  }

  function flush(): void {
    timer = undefined;
    last = Date.now();
    const [first, rest] = split(waiting ?? {});
    waiting = rest;
    database.notify(CHANNEL, JSON.stringify({ from: server, ...first }));
    if (rest) timer = setTimeout(flush, PAUSE_MS);
  }

  function isFollowed(runId: string): boolean {
    const until = followed.get(runId) ?? 0;
    if (until <= Date.now()) followed.delete(runId);
    return until > Date.now();
  }

  return {
    send,
    isFollowed,
    progress(runId) {
      if (isFollowed(runId)) send({ progress: [runId] });
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

function joined(a: Omit<News, 'from'>, b: Omit<News, 'from'>): Omit<News, 'from'> {
  const both = { ...a, ...b };
  for (const list of ['stops', 'claimed', 'progress', 'follows'] as const) {
    const all = [...(a[list] ?? []), ...(b[list] ?? [])];
    const once = new Map(all.map((one) => [typeof one === 'string' ? one : one.runId, one]));
    if (once.size > 0) Object.assign(both, { [list]: [...once.values()] });
  }
  return both;
}

/** What fits into one notification, and the rest. */
function split(news: Omit<News, 'from'>): [Omit<News, 'from'>, Omit<News, 'from'> | undefined] {
  const { ready, ...lists } = news;
  const first: Omit<News, 'from'> = ready ? { ready } : {};
  const rest: Omit<News, 'from'> = {};
  let room = MOST_RUNS;
  for (const [name, list] of Object.entries(lists) as [string, unknown[]][]) {
    if (room > 0) Object.assign(first, { [name]: list.slice(0, room) });
    if (list.length > room) Object.assign(rest, { [name]: list.slice(Math.max(0, room)) });
    room -= list.length;
  }
  return [first, Object.keys(rest).length > 0 ? rest : undefined];
}

/** Anybody who may connect to the database may send to the channel. */
function parsed(payload: string): News | undefined {
  try {
    const news = JSON.parse(payload) as News | null;
    return typeof news?.from === 'string' ? news : undefined;
  } catch {
    return undefined;
  }
}
