/** The parts of a request that concern the graph, checked before the turn is accepted. */
import {
  checkInput,
  checkMessages,
  checkPrompt,
  contextFor,
  questionIn,
} from '../../graphs/adoption/graph-input.ts';
import { isPublic } from '../../graphs/authoring/public-channels.ts';
import { stoppable } from '../../graphs/authoring/run/stops.ts';
import { SkeinError } from '../../state/errors.ts';
import type { ConversationMessage, Nodes, RunRequest } from '../../state/threads/runs.ts';
import type { LimitsOptions } from '../options.ts';
import type { RunnableWorkflow } from '../workflows/registered.ts';

/** All fields but the prompt. Missing ones default to those of the graph and the settings. */
export interface GraphRequest {
  input?: unknown;
  /** In place of an input: the whole conversation, ending with the question, from a caller that stores it itself. */
  conversation?: ConversationMessage[] | undefined;
  context?: unknown;
  configurable?: Record<string, unknown> | undefined;
  interruptBefore?: Nodes | undefined;
  interruptAfter?: Nodes | undefined;
  recursionLimit?: number | undefined;
  checkpointId?: string | undefined;
}

export type CheckedGraphRequest = Pick<
  RunRequest,
  | 'userPrompt'
  | 'input'
  | 'conversation'
  | 'context'
  | 'configurable'
  | 'interruptBefore'
  | 'interruptAfter'
  | 'recursionLimit'
  | 'checkpointId'
>;

/** `prompt`: the question as the conversation shows it. Throws INVALID_REQUEST or INVALID_WORKFLOW_INPUT, naming the field. */
export async function checkedGraphRequest(
  { prompt, ...requested }: GraphRequest & { prompt?: string | undefined },
  workflow: RunnableWorkflow,
  limits: Pick<LimitsOptions, 'recursion' | 'recursion_max'>,
): Promise<CheckedGraphRequest> {
  const { graph } = workflow;
  const { context, interruptBefore, interruptAfter, checkpointId } = requested;
  const { input, conversation } = begins(requested, workflow);
  const userPrompt = await questionOf(prompt, input, workflow);
  await contextFor(graph, context);
  checkNodes('interrupt_before', interruptBefore, workflow);
  checkNodes('interrupt_after', interruptAfter, workflow);
  const configurable = ownConfigurable(requested.configurable);
  return {
    userPrompt,
    ...(input !== undefined && { input }),
    ...(conversation && { conversation }),
    ...(context !== undefined && { context }),
    ...(configurable && { configurable }),
    ...(interruptBefore && { interruptBefore }),
    ...(interruptAfter && { interruptAfter }),
    recursionLimit: recursionLimitOf(requested.recursionLimit, workflow, limits),
    ...(checkpointId !== undefined && { checkpointId }),
  };
}

/** The input in place of a prompt: a graph with a `messages` field gets the conversation as its messages. */
function begins(
  { input, conversation }: GraphRequest,
  { name, adopted }: RunnableWorkflow,
): Pick<GraphRequest, 'input' | 'conversation'> {
  if (!conversation) return { input };
  const { textInput } = adopted ?? {};
  if (textInput && 'field' in textInput && textInput.field === 'messages')
    return { input: { messages: conversation } };
  if (conversation.some(({ content }) => Array.isArray(content))) {
    throw new SkeinError('INVALID_WORKFLOW_INPUT', {
      message: 'The workflow does not accept this input',
      detail: `messages: '${name}' only accepts text`,
    });
  }
  return adopted ? {} : { conversation };
}

/** Throws INVALID_REQUEST for an unknown node. The fields for stops also accept the nodes of subgraphs. */
export function checkNodes(field: string, names: Nodes | undefined, { graph, name }: RunnableWorkflow): void {
  if (names === undefined || names === '*') return;
  const nodes = Object.keys(graph.nodes).filter((one) => !one.startsWith('__'));
  const known = new Set(field === 'goto' ? nodes : stoppable(graph));
  const unknown = names.find((one) => !known.has(one));
  if (unknown === undefined) return;
  const shown = /^[\w .:-]{1,64}$/.test(unknown) ? `'${unknown}'` : 'of that name';
  throw new SkeinError('INVALID_REQUEST', {
    detail: `${field}: '${name}' has no node ${shown}; its nodes are ${nodes.join(', ')}`,
  });
}

/** The fields of an update that are channels of the graph; others are dropped, as in an input. Throws INVALID_WORKFLOW_INPUT. */
export function ownUpdate(
  update: Record<string, unknown> | undefined,
  { graph }: RunnableWorkflow,
): Record<string, unknown> | undefined {
  const entries = Object.entries(update ?? {}).filter(
    ([channel]) => isPublic(channel) && Object.hasOwn(graph.channels, channel),
  );
  if (entries.length === 0) return undefined;
  const own = Object.fromEntries(entries);
  checkMessages(graph, own, 'update');
  return own;
}

async function questionOf(
  prompt: string | undefined,
  input: unknown,
  { name, graph, adopted }: RunnableWorkflow,
): Promise<string> {
  if (input === undefined) {
    if (prompt === undefined)
      throw new SkeinError('INVALID_REQUEST', { detail: 'user_prompt: required unless input is set' });
    if (adopted) await checkPrompt(graph, adopted.textInput, prompt);
    return prompt;
  }
  if (!adopted) {
    throw new SkeinError('INVALID_WORKFLOW_INPUT', {
      message: 'The workflow does not accept this input',
      detail: `input: '${name}' only accepts a user_prompt`,
    });
  }
  await checkInput(graph, input);
  return prompt ?? questionIn(input);
}

/** Callers must not set the thread, a checkpoint, or keys that LangGraph reserves. */
const RESERVED = /^(__pregel_|__skein_|checkpoint_|langgraph_auth_)/;
const OWN = ['thread_id', 'run_id'];

/** The keys of `configurable` that callers may set; others are dropped. */
export function ownConfigurable(given: Record<string, unknown> = {}): Record<string, unknown> | undefined {
  const entries = Object.entries(given).filter(([key]) => !RESERVED.test(key) && !OWN.includes(key));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

export function recursionLimitOf(
  requested: number | undefined,
  { graph }: RunnableWorkflow,
  { recursion, recursion_max }: Pick<LimitsOptions, 'recursion' | 'recursion_max'>,
): number {
  if (requested === undefined) return graph.config?.recursionLimit ?? recursion;
  if (requested <= recursion_max) return requested;
  throw new SkeinError('INVALID_REQUEST', { detail: `recursion_limit: at most ${recursion_max}` });
}
