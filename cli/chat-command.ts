/** `skein chat`: a conversation with a workflow in the terminal, or one message for scripts. */
import { configurationError } from '../state/errors.ts';
import { converse, findThread } from './chat/conversation.ts';
import { questionOf } from './chat/interrupt.ts';
import { openKeyboard } from './chat/keyboard.ts';
import { ask, type Connection, connect } from './connect.ts';
import { takeFlags } from './own-flags.ts';
import { print } from './print.ts';
import { shown, styleFor } from './terminal.ts';

const USAGE = 'expected one workflow, as in skein chat knowledge-base-agent';
const DEFAULT_WORKFLOW = 'classification-agent';
const FLAGS = [
  { name: '--url', takes: 'http://localhost:8080' },
  { name: '--thread', takes: 'ana' },
  { name: '--message', takes: '"Hello"' },
  { name: '--json' },
];

/** Gives the exit code; throws CONFIGURATION_ERROR for a wrong command line. */
export async function chatCommand(argv: string[]): Promise<number> {
  const { own, words, rest } = takeFlags(argv, FLAGS);
  const [named, ...more] = words;
  if (more.length > 0) throw configurationError('arguments', USAGE);
  const { stdin, stdout, env } = process;
  // As it is: a workflow may say at which line of it something is wrong.
  const message = own.get('--message') ?? (stdin.isTTY ? undefined : await Bun.stdin.text());
  const connection = await connect({ flags: rest, url: own.get('--url'), env });
  try {
    const threadId = own.get('--thread');
    const thread = threadId === undefined || named ? undefined : await findThread(connection, threadId);
    const workflow = named ?? thread?.workflow ?? DEFAULT_WORKFLOW;
    if (message !== undefined) {
      await once(connection, { workflow, threadId, message, isJson: own.has('--json') });
      return 0;
    }
    const style = styleFor(stdout, env);
    const write = (text: string) => void stdout.write(text);
    write(style.dim(`${workflow}; /help says what else there is\n`));
    const keyboard = openKeyboard(stdin, stdout, { takesPastes: true });
    try {
      await converse({ connection, workflow, threadId }, { keyboard, screen: { write, style } });
    } finally {
      keyboard.close();
    }
    return 0;
  } finally {
    await connection.close();
  }
}

interface Single {
  workflow: string;
  threadId: string | undefined;
  message: string;
  isJson: boolean;
}

async function once(connection: Connection, { workflow, threadId, message, isJson }: Single): Promise<void> {
  const body = { user_prompt: message, conversation_flow: workflow, thread_id: threadId };
  const { headers } = connection;
  const typed = { ...connection, headers: { ...headers, 'content-type': 'application/json' } };
  const text = await ask(typed, '/api/v1/chat', { method: 'POST', body: JSON.stringify(body) });
  if (isJson) return print(text);
  const answer: Answer = JSON.parse(text);
  if (answer.agent_response !== '' || !answer.interrupt) print(shown(answer.agent_response));
  if (!answer.interrupt) return;
  console.error(questionOf(answer.interrupt.value).trimEnd());
  console.error(`The thread waits for the answer: skein chat --thread ${answer.thread_id}`);
}

interface Answer {
  agent_response: string;
  thread_id: string;
  interrupt: { value: unknown } | null;
}
