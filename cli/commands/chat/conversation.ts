/** A conversation in a terminal: messages, and a few commands. */
import { SkeinApiError } from '../../../client/api-error.ts';
import type { JsonSchema } from '../../../graphs/adoption/schemas/graph-schemas.ts';
import type { ThreadBody } from '../../../server/threads/shape.ts';
import { SkeinError } from '../../../state/errors.ts';
import { ask, type Connection, found } from '../../service/connect.ts';
import { refusalText } from '../../terminal/refusal-text.ts';
import { shown } from '../../terminal/style.ts';
import { type Conversation, exchange, type TurnInput } from './exchange.ts';
import { askInput } from './input/ask-input.ts';
import { inputSchemaOf, type Status, wantedInput } from './input/wanted-input.ts';
import { askPerson } from './interrupt/ask-person.ts';
import { type Waiting, waits } from './interrupt/waiting.ts';
import type { Terminal } from './turn/guarded-turn.ts';

const HELP = `/new          starts a new thread
/thread [ID]  continues a thread; without an ID, shows the current one
/flow NAME    sends the next messages to another workflow
/quit         ends the conversation, as do Ctrl-D and an empty line
Ctrl-C        cancels the turn
If you paste several lines, they are one message: Enter sends them.
If the workflow takes no prompt, you are asked for each field of its input. To skip an optional field, press Enter.
`;

/** Runs until the person ends it. */
export async function converse(start: Conversation, terminal: Terminal): Promise<void> {
  const now: Now = { ...start, inputSchema: await inputSchemaOf(start.connection, start.workflow) };
  if (start.threadId !== undefined) await enter(now, start.threadId, terminal);
  for (;;) {
    const input = await nextOf(now, terminal);
    if (!input || ('command' in input && input.command === '/quit')) return;
    if ('command' in input) await command(now, input.command, terminal);
    else now.threadId = await exchange(now, input, terminal);
  }
}

interface Now extends Conversation {
  /** For a workflow that takes no prompt. */
  inputSchema: JsonSchema | undefined;
}

/** Undefined if the person ends the conversation. */
async function nextOf(
  { inputSchema }: Now,
  terminal: Terminal,
): Promise<TurnInput | { command: string } | undefined> {
  if (inputSchema) return askInput(inputSchema, terminal, isKnownCommand);
  const line = (await terminal.keyboard.ask('you> '))?.trim();
  if (!line) return undefined;
  return isCommand(line) ? { command: line } : { user_prompt: line };
}

/** Text with several lines is never a command: a pasted text may begin with a path. */
function isCommand(line: string): boolean {
  return line.startsWith('/') && !line.includes('\n');
}

/** Only known commands, because the value of a field may be a path. */
function isKnownCommand(line: string): boolean {
  return isCommand(line) && /^\/(new|thread|flow|quit|help)(\s|$)/.test(line);
}

async function command(now: Now, line: string, terminal: Terminal): Promise<void> {
  const { write, style } = terminal.screen;
  const [name, value] = line.split(/\s+/);
  if (name === '/thread' && value) return enter(now, value, terminal);
  if (name === '/new') {
    now.threadId = undefined;
    write(style.dim('the next message starts a new thread\n'));
  } else if (name === '/thread') write(`${shown(now.threadId ?? 'none yet; the next message starts one')}\n`);
  else if (name === '/flow' && value) await choose(now, value, terminal);
  else if (name === '/help') write(HELP);
  else write(style.bad(`Unknown command ${shown(line)}\n`) + HELP);
}

/** The service resolves aliases of workflow names. */
async function choose(now: Now, name: string, terminal: Terminal): Promise<void> {
  const { write, style } = terminal.screen;
  const { connection } = now;
  const text = await unlessRefused(
    found(connection, `/api/v1/workflow-status/${encodeURIComponent(name)}`),
    terminal,
  );
  if (text === REFUSED) return;
  if (text !== undefined) {
    const status = JSON.parse(text) as Status;
    now.workflow = status.workflow;
    now.inputSchema = wantedInput(status);
    return write(style.dim(`the next message goes to ${shown(now.workflow)}\n`));
  }
  const list = await unlessRefused(ask(connection, '/api/v1/workflows'), terminal);
  if (list === REFUSED) return;
  const { workflows } = JSON.parse(list) as { workflows: { workflow: string }[] };
  const names = workflows.map(({ workflow }) => shown(workflow)).join(', ');
  write(style.bad(`Unknown workflow ${shown(name)}. Workflows: ${names}\n`));
}

export type FoundThread = Pick<ThreadBody, 'title' | 'workflow' | 'message_count' | keyof Waiting>;

/** Returns undefined if the thread does not exist yet; the next message creates it. */
export async function findThread(connection: Connection, id: string): Promise<FoundThread | undefined> {
  const text = await found(connection, `/api/v1/threads/${encodeURIComponent(id)}`);
  return text === undefined ? undefined : (JSON.parse(text) as FoundThread);
}

/** Prints the title and length of a thread, and asks the questions that it waits for. */
async function enter(now: Conversation, id: string, terminal: Terminal): Promise<void> {
  const { write, style } = terminal.screen;
  now.threadId = id;
  const thread = await unlessRefused(findThread(now.connection, id), terminal);
  if (thread === REFUSED) return;
  if (!thread) return write(style.dim(`a new thread: ${shown(id)}\n`));
  const { title, message_count } = thread;
  const short = title.replaceAll(/\s+/g, ' ').slice(0, 60);
  write(style.dim(`${shown(id)}: "${shown(short)}", ${message_count} messages\n`));
  if (waits(thread)) await askPerson(now.connection, { thread: id, waiting: thread }, terminal);
}

const REFUSED = Symbol('refused');

/** Prints a refusal or a lost connection; the conversation continues. */
async function unlessRefused<T>(work: Promise<T>, { screen }: Terminal): Promise<T | typeof REFUSED> {
  const { write, style } = screen;
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof SkeinApiError || error instanceof SkeinError)) throw error;
    write(style.bad(`${error instanceof SkeinApiError ? refusalText(error) : error.message}\n`));
    return REFUSED;
  }
}
