/** `skein chat`: a conversation with a workflow in the terminal, or one message for scripts. */
import { configurationError } from '../../../state/errors.ts';
import { connect } from '../../service/connect.ts';
import { openKeyboard } from '../../terminal/keyboard.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { styleFor } from '../../terminal/style.ts';
import { checkedThreadId } from '../threads/query.ts';
import { converse, findThread } from './conversation.ts';
import { sendMessage } from './single-message.ts';

const USAGE = 'expected one workflow, as in skein chat knowledge-base-agent';
const DEFAULT_WORKFLOW = 'classification-agent';
const FLAGS = [
  { name: '--url', takes: 'http://localhost:8080' },
  { name: '--thread', takes: 'ana' },
  { name: '--message', takes: '"Hello"' },
  { name: '--json' },
];

/** Returns the exit code; throws CONFIGURATION_ERROR for a wrong command line. */
export async function chatCommand(argv: string[]): Promise<number> {
  const { own, words, rest } = takeFlags(argv, FLAGS);
  const [named, ...more] = words;
  if (more.length > 0) throw configurationError('arguments', USAGE);
  const given = own.get('--thread');
  const threadId = given === undefined ? undefined : checkedThreadId(given, '--thread');
  const { stdin, stdout, stderr, env } = process;
  // Not trimmed: a workflow's error may name a line of the message.
  const message = own.get('--message') ?? (stdin.isTTY ? undefined : await Bun.stdin.text());
  const connection = await connect({ flags: rest, url: own.get('--url'), env });
  try {
    // A conversation finds the service itself and prints the result.
    const isWanted = threadId !== undefined && (named === undefined || message !== undefined);
    const thread = isWanted ? await findThread(connection, threadId) : undefined;
    const workflow = named ?? thread?.workflow ?? DEFAULT_WORKFLOW;
    if (message !== undefined) {
      const output = { isJson: own.has('--json'), style: styleFor(stderr, env) };
      return await sendMessage({ connection, workflow, threadId, thread, message, ...output });
    }
    const style = styleFor(stdout, env);
    const write = (text: string) => void stdout.write(text);
    write(style.dim(`${workflow}; /help lists the commands\n`));
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
