/** `skein threads`: lists conversations, shows one, and deletes one. */
import { configurationError } from '../../../state/errors.ts';
import { ask, type Connection, connect } from '../../service/connect.ts';
import { subcommand, takeFlags } from '../../terminal/own-flags.ts';
import { print } from '../../terminal/print.ts';
import { columns, type Style, shown, styleFor, widthOf } from '../../terminal/style.ts';
import { checkedThreadId, threadQuery } from './query.ts';
import { showThread } from './show.ts';

const USAGE = 'expected list, show THREAD or delete THREAD, as in skein threads list --status interrupted';
const FLAGS = [
  { name: '--url', takes: 'http://localhost:8080' },
  { name: '--workflow', takes: 'classification-agent' },
  { name: '--status', takes: 'interrupted' },
  { name: '--search', takes: 'pedal' },
  { name: '--limit', takes: '20' },
  { name: '--json' },
];

interface Thread {
  thread_id: string;
  title: string;
  workflow: string;
  status: string;
  message_count: number;
  updated_at: string;
}

/** Returns the exit code; throws CONFIGURATION_ERROR for a wrong command line. */
export async function threadsCommand(argv: string[]): Promise<number> {
  const { own, words, rest } = takeFlags(argv, FLAGS);
  const [action = 'list', threadId, ...more] = words;
  const command = subcommand<typeof show>({ list, show, delete: remove }, action);
  if (!command || more.length > 0 || (threadId === undefined) !== (action === 'list'))
    throw configurationError('arguments', USAGE);
  const id = threadId === undefined ? '' : checkedThreadId(threadId, 'arguments');
  const given = { query: threadQuery(own), id, isJson: own.has('--json') };
  const connection = await connect({ flags: rest, url: own.get('--url'), env: process.env });
  try {
    await command(connection, given);
    return 0;
  } finally {
    await connection.close();
  }
}

interface ThreadArguments {
  query: URLSearchParams;
  id: string;
  isJson: boolean;
}

async function list(connection: Connection, { query, isJson }: ThreadArguments): Promise<void> {
  const text = await ask(connection, `/api/v1/threads?${query}`);
  if (isJson) return print(text);
  const { threads, next_cursor } = JSON.parse(text) as { threads: Thread[]; next_cursor: string | null };
  const style = styleFor(process.stdout, process.env);
  const width = widthOf(process.stdout);
  const lines =
    width === undefined
      ? columns(threads.map(rowOf))
      : threads.flatMap((each) => linesOf(each, width, style));
  for (const line of lines) print(line);
  if (threads.length === 0) print(style.dim('No threads yet; start one with skein chat.'));
  if (next_cursor) print(style.dim('More threads exist: use --limit (up to 100) or --search.'));
}

/** For programs: one line per thread. */
function rowOf(thread: Thread): string[] {
  const count = `${thread.message_count} messages`;
  const { workflow, status, updated_at } = thread;
  return [shown(thread.thread_id), workflow, status, count, updated_at, shown(oneLine(thread.title))];
}

/** For people: the thread's id, and below it as much of the rest as fits. */
function linesOf(thread: Thread, width: number, style: Style): string[] {
  const when = new Date(thread.updated_at).toLocaleString('sv').slice(0, 16);
  const about = `  ${when}  ${thread.status}  ${thread.message_count} messages  ${shown(oneLine(thread.title))}`;
  return [
    `${style.bold(shown(thread.thread_id))}  ${thread.workflow}`,
    style.dim(Bun.stringWidth(about) <= width ? about : `${Bun.sliceAnsi(about, 0, width - 1)}…`),
  ];
}

async function show(connection: Connection, { id, isJson }: ThreadArguments): Promise<void> {
  await showThread(connection, id, isJson);
}

async function remove(connection: Connection, { id, isJson }: ThreadArguments): Promise<void> {
  await ask(connection, `/api/v1/threads/${encodeURIComponent(id)}`, { method: 'DELETE' });
  if (!isJson) print('The thread is deleted: its messages, checkpoints, runs and events.');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
