/** Carries out the commands of the event-streaming protocol, whichever connection they came over. */
import type { CommandCall } from './command-call.ts';
import { answered, type Command, type Envelope, Refusal } from './envelope.ts';
import { inputRespond, runStart, stateFork } from './run-commands.ts';
import { agentTree, listCheckpoints, stateGet } from './state-commands.ts';

type Carry = (call: CommandCall) => Promise<Record<string, unknown>>;

const COMMANDS: Record<string, Carry> = {
  'run.start': runStart,
  'input.respond': inputRespond,
  'state.get': stateGet,
  'state.listCheckpoints': listCheckpoints,
  'state.fork': stateFork,
  'agent.getTree': agentTree,
};

/** Where a stream of events is another request. */
const OF_SOCKETS = ['subscription.subscribe', 'subscription.unsubscribe'];

/** The protocol's draft says what it looks like and not what it does, and LangGraph's own server does not know it either. */
const INJECT = 'input.inject';

export function carryOut(command: Command, call: Omit<CommandCall, 'params'>): Promise<Envelope> {
  const { method, params } = command;
  return answered(command, call.threadId, () => {
    const carry = Object.hasOwn(COMMANDS, method) ? COMMANDS[method] : undefined;
    if (carry) return carry({ ...call, params });
    if (OF_SOCKETS.includes(method))
      throw new Refusal('not_supported', `${method}: is sent over a WebSocket`);
    if (method === INJECT) throw new Refusal('unknown_command', `Unknown protocol command: ${INJECT}`);
    throw new Refusal('unknown_command', 'The command is unknown');
  });
}
