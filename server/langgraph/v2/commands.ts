/** Executes the commands of the event-streaming protocol, from HTTP requests and WebSockets. */
import type { CommandCall } from './command-call.ts';
import { type Command, CommandError, type Envelope, respond } from './envelope.ts';
import { inputRespond, runStart, stateFork } from './run-commands.ts';
import { agentTree, listCheckpoints, stateGet } from './state-commands.ts';

type CommandHandler = (call: CommandCall) => Promise<Record<string, unknown>>;

const COMMANDS: Record<string, CommandHandler> = {
  'run.start': runStart,
  'input.respond': inputRespond,
  'state.get': stateGet,
  'state.listCheckpoints': listCheckpoints,
  'state.fork': stateFork,
  'agent.getTree': agentTree,
};

/** Commands that only exist on WebSockets. Over HTTP, each event stream is a request. */
const SOCKET_ONLY = ['subscription.subscribe', 'subscription.unsubscribe'];

/** The protocol's draft defines the form of this command but not its effect. LangGraph's own server doesn't support it either. */
const INJECT = 'input.inject';

/** Returns a success or an error response. Throws errors that aren't about the command, such as SHUTTING_DOWN. */
export function executeCommand(command: Command, call: Omit<CommandCall, 'params'>): Promise<Envelope> {
  const { method, params } = command;
  return respond(command, call.threadId, () => {
    const execute = Object.hasOwn(COMMANDS, method) ? COMMANDS[method] : undefined;
    if (execute) return execute({ ...call, params });
    if (SOCKET_ONLY.includes(method))
      throw new CommandError('not_supported', `${method}: only supported over a WebSocket`);
    if (method === INJECT) throw new CommandError('unknown_command', `Unknown protocol command: ${INJECT}`);
    throw new CommandError('unknown_command', 'Unknown protocol command');
  });
}
