/**
 * Notifications between servers. They are only hints, which may be lost, and are never sent in a transaction that writes.
 * Hints within a short time are sent as one notification.
 */
import type { StopReason } from '../threads/coordination.ts';
import type { Database } from './database/database.ts';

/** The content of a notification. */
export interface News {
  /** The id of the sending server. */
  from: string;
  /** A run is waiting that any server with a free slot may claim. */
  ready?: boolean;
  stops?: { runId: string; reason: StopReason }[];
  /** Ids of runs that the sender has claimed and that other servers accepted. */
  claimed?: string[];
  /** Ids of followed runs whose log has new entries. */
  progress?: string[];
  /** Ids of runs that the sender follows. Expires after FOLLOWED_MS. */
  follows?: string[];
}

export interface Hints {
  send(news: Omit<News, 'from'>): void;
  /** Reports new entries in the log of a run. */
  progress(runId: string): void;
  /** Whether another server follows the run. */
  isFollowed(runId: string): boolean;
  close(): void;
}

const CHANNEL = 'skein';
// At most 20 notifications per second from one server.
const PAUSE_MS = 50;
// The payload is limited to 8,000 bytes. A run id takes 40, a stop with its reason more.
const MAX_RUNS = 80;
/** Longer than the interval in which followers repeat their subscription. */
const FOLLOWED_MS = 25_000;

/** Resolves when this server receives notifications. */
export async function openHints(
  database: Database,
  server: string,
  hear: (news: News) => void,
): Promise<Hints> {
  /** Run ids that other servers follow, with the time at which that expires. */
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

/** Splits off the part that fits into one notification. */
function split(news: Omit<News, 'from'>): [Omit<News, 'from'>, Omit<News, 'from'> | undefined] {
  const { ready, ...lists } = news;
  const first: Omit<News, 'from'> = ready ? { ready } : {};
  const rest: Omit<News, 'from'> = {};
  let space = MAX_RUNS;
  for (const [name, list] of Object.entries(lists) as [string, unknown[]][]) {
    if (space > 0) Object.assign(first, { [name]: list.slice(0, space) });
    if (list.length > space) Object.assign(rest, { [name]: list.slice(Math.max(0, space)) });
    space -= list.length;
  }
  return [first, Object.keys(rest).length > 0 ? rest : undefined];
}

/** Undefined for an invalid payload: every user of the database may send to the channel. */
function parsed(payload: string): News | undefined {
  try {
    const news = JSON.parse(payload) as News | null;
    return typeof news?.from === 'string' ? news : undefined;
  } catch {
    return undefined;
  }
}
