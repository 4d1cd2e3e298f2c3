/** A conversation in a terminal: messages, and a few commands. */
import { SkeinApiError } from '../../../client/api-error.ts';
import type { JsonSchema } from '../../../graphs/adoption/schemas/graph-schemas.ts';
import type { ThreadBody } from '../../../server/threads/shape.ts';
import { SkeinError } from '../../../state/errors.ts';
import { ask, type Connection, found } from '../../service/connect.ts';
import { refusalText } from '../../terminal/refusal-text.ts';
import { shown } from '../../terminal/style.ts';
import { answer } from './answer.ts';
import { askInput } from './ask-input.ts';
import { type Asked, type Conversation, exchange } from './exchange.ts';
import type { Room } from './guarded-turn.ts';
import { type Waiting, waits } from './waiting.ts';
import { inputSchemaOf, type Status, wantedInput } from './wanted-input.ts';

const HELP = `/new          starts a new thread
/thread [ID]  goes on with a thread, or says which one this is
/flow NAME    gives the thread to another workflow
/quit         ends; so do Ctrl-D and an empty line
Ctrl-C        cancels the turn
Several lines are one message where they are pasted: Enter sends them.
A workflow that takes no prompt asks for the fields of its input; Enter alone leaves an optional one out.
`;

/** Runs until the person ends it. */
export async function converse(start: Conversation, room: Room): Promise<void> {
  const now: Now = { ...start, inputSchema: await inputSchemaOf(start.connection, start.workflow) };
  if (start.threadId !== undefined) await enter(now, start.threadId, room);
  for (;;) {
    const said = await nextOf(now, room);
    if (!said || ('command' in said && said.command === '/quit')) return;
    if ('command' in said) await command(now, said.command, room);
    else now.threadId = await exchange(now, said, room);
  }
}

interface Now extends Conversation {
  /** For a workflow that takes no prompt. */
  inputSchema: JsonSchema | undefined;
}

/** Undefined if the person ends the conversation. */
async function nextOf({ inputSchema }: Now, room: Room): Promise<Asked | { command: string } | undefined> {
  if (inputSchema) return askInput(inputSchema, room, isKnownCommand);
  const line = (await room.keyboard.ask('you> '))?.trim();
  if (!line) return undefined;
  return isCommand(line) ? { command: line } : { user_prompt: line };
}

/** Text with several lines is never a command: a pasted text may begin with a path. */
function isCommand(line: string): boolean {
  return line.startsWith('/') && !line.includes('\n');
}

/** A field may be a path. */
function isKnownCommand(line: string): boolean {
  return isCommand(line) && /^\/(new|thread|flow|quit|help)(\s|$)/.test(line);
}

async function command(now: Now, line: string, room: Room): Promise<void> {
  const { write, style } = room.screen;
  const [name, value] = line.split(/\s+/);
  if (name === '/thread' && value) return enter(now, value, room);
  if (name === '/new') {
    now.threadId = undefined;
    write(style.dim('the next message starts a new thread\n'));
  } else if (name === '/thread') write(`${shown(now.threadId ?? 'none yet; the next message starts one')}\n`);
  else if (name === '/flow' && value) await choose(now, value, room);
  else if (name === '/help') write(HELP);
  else write(style.bad(`Unknown command ${shown(line)}\n`) + HELP);
}

/** The service resolves aliases of workflow names. */
async function choose(now: Now, name: string, room: Room): Promise<void> {
  const { write, style } = room.screen;
  const { connection } = now;
  const text = await unlessRefused(
    found(connection, `/api/v1/workflow-status/${encodeURIComponent(name)}`),
    room,
  );
  if (text === REFUSED) return;
  if (text !== undefined) {
    const status = JSON.parse(text) as Status;
    now.workflow = status.workflow;
    now.inputSchema = wantedInput(status);
    return write(style.dim(`the next message goes to ${shown(now.workflow)}\n`));
  }
  const list = await unlessRefused(ask(connection, '/api/v1/workflows'), room);
  if (list === REFUSED) return;
  const { workflows } = JSON.parse(list) as { workflows: { workflow: string }[] };
  const names = workflows.map(({ workflow }) => shown(workflow)).join(', ');
  write(style.bad(`Unknown workflow ${shown(name)}. Workflows: ${names}\n`));
}

export type FoundThread = Pick<ThreadBody, 'title' | 'workflow' | 'message_count' | keyof Waiting>;

/** Undefined if it does not exist yet: the next message creates it. */
export async function findThread(connection: Connection, id: string): Promise<FoundThread | undefined> {
  const text = await found(connection, `/api/v1/threads/${encodeURIComponent(id)}`);
  return text === undefined ? undefined : (JSON.parse(text) as FoundThread);
}

/** Prints what is known of a thread, and asks what it waits for. */
async function enter(now: Conversation, id: string, room: Room): Promise<void> {
  const { write, style } = room.screen;
  now.threadId = id;
  const thread = await unlessRefused(findThread(now.connection, id), room);
  if (thread === REFUSED) return;
  if (!thread) return write(style.dim(`a new thread: ${shown(id)}\n`));
  const { title, message_count } = thread;
  const short = title.replaceAll(/\s+/g, ' ').slice(0, 60);
  write(style.dim(`${shown(id)}: "${shown(short)}", ${message_count} messages\n`));
  if (waits(thread)) await answer(now.connection, { thread: id, waiting: thread }, room);
}

const REFUSED = Symbol('refused');

/** Prints a refusal or a lost connection; the conversation continues. */
async function unlessRefused<T>(work: Promise<T>, { screen }: Room): Promise<T | typeof REFUSED> {
  const { write, style } = screen;
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof SkeinApiError || error instanceof SkeinError)) throw error;
    write(style.bad(`${error instanceof SkeinApiError ? refusalText(error) : error.message}\n`));
    return REFUSED;
  }
}
