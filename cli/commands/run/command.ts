/** `skein run`: runs one turn of a workflow for scripts: an input or a prompt in, the answer out. */
import { streamChat } from '../../../client/stream-chat.ts';
import type { ChatRequest } from '../../../server/chat/schema.ts';
import { configurationError } from '../../../state/errors.ts';
import { connect } from '../../service/connect.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { styleFor } from '../../terminal/style.ts';
import { printTurn } from '../chat/turn/one-turn.ts';
import { checkedThreadId } from '../threads/query.ts';
import { givenJson, inputText } from './given-json.ts';

const USAGE = 'expected one workflow, as in skein run writer --input input.json';
const FLAGS = [
  { name: '--url', takes: 'http://localhost:8080' },
  { name: '--input', takes: 'input.json' },
  { name: '--prompt', takes: '"Hello"' },
  { name: '--thread', takes: 'ana' },
  { name: '--context', takes: '\'{"user": "ana"}\'' },
  { name: '--json' },
];

/** Returns the exit code; throws CONFIGURATION_ERROR for a wrong command line. */
export async function runCommand(argv: string[]): Promise<number> {
  const { own, words, rest } = takeFlags(argv, FLAGS);
  const [workflow, ...more] = words;
  if (workflow === undefined || more.length > 0) throw configurationError('arguments', USAGE);
  const request = await requestOf(workflow, own);
  const { env, stderr } = process;
  const connection = await connect({ flags: rest, url: own.get('--url'), env });
  try {
    return await printTurn({
      connection,
      threadId: request.thread_id,
      isJson: own.has('--json'),
      style: styleFor(stderr, env),
      begin: (options) => streamChat(connection.url, request, options),
    });
  } finally {
    await connection.close();
  }
}

async function requestOf(workflow: string, own: Map<string, string>): Promise<ChatRequest> {
  const [input, prompt, thread, context] = ['--input', '--prompt', '--thread', '--context'].map((name) =>
    own.get(name),
  );
  if (input === undefined && prompt === undefined)
    throw configurationError(
      'arguments',
      'expected --prompt TEXT, or --input with a file or - for standard input',
    );
  const values = context === undefined ? undefined : givenJson(context, '--context');
  if (values !== undefined && !isObject(values)) throw configurationError('--context', 'expected an object');
  return {
    conversation_flow: workflow,
    ...(prompt !== undefined && { user_prompt: prompt }),
    ...(input !== undefined && { input: givenJson(await inputText(input), '--input') }),
    ...(thread !== undefined && { thread_id: checkedThreadId(thread, '--thread') }),
    ...(values !== undefined && { context: values }),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
