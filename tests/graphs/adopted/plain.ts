/** The results of plain LangGraph for a program, and states without the ids that differ in every run. */
import { HumanMessage } from '@langchain/core/messages';
import { Command, InMemoryStore, MemorySaver } from '@langchain/langgraph';
import { asJson } from '../../../graphs/adoption/message-json.ts';
import type { CompiledGraph } from '../../../graphs/authoring/workflow.ts';
import type { Program } from './programs.ts';

interface Asking {
  name: string;
  interrupts: { id: string }[];
}

interface WithHistory {
  getStateHistory(config: object): AsyncIterable<{ metadata?: { step: number }; config: object }>;
}

/** A thread of plain LangGraph. */
export function plainThread(graph: CompiledGraph, program: Program) {
  const { chatBody, answers = [], context = chatBody.context } = program;
  const copy = graph.withConfig({});
  copy.checkpointer = new MemorySaver();
  copy.store = new InMemoryStore();
  const configurable = { ...(chatBody.configurable as object), thread_id: 'plain' };
  const config = { configurable, ...(context !== undefined && { context }) };
  return {
    /** The values after a turn and its answers; the turn starts from the end of the previous one, or from the given step. */
    async turn(step?: number): Promise<unknown> {
      let values = await copy.invoke(inputOf(program), step === undefined ? config : await from(step));
      for (const answer of answers) {
        const { tasks } = await copy.getState(config);
        const resume = Object.fromEntries(
          (tasks as Asking[]).flatMap(({ name, interrupts }) =>
            interrupts.map(({ id }) => [id, answer[name]]),
          ),
        );
        values = await copy.invoke(new Command({ resume }), config);
      }
      return stableParts(values);
    },
  };

  async function from(step: number) {
    for await (const { metadata, config: at } of (copy as unknown as WithHistory).getStateHistory(config))
      if (metadata?.step === step)
        return { ...config, configurable: { ...configurable, ...(at as typeof config).configurable } };
    throw new Error(`no checkpoint of step ${step}`);
  }
}

function inputOf({ name, chatBody }: Program): unknown {
  const { input, user_prompt } = chatBody;
  if (input !== undefined) return input;
  return name === 'functional' ? user_prompt : { messages: [new HumanMessage(String(user_prompt))] };
}

/** The parts of messages, in LangChain's form or as JSON, that are the same in every run. */
export function stableParts(value: unknown): unknown {
  return withoutIds(asJson(value, (message) => ({ ...message, role: message.getType() })));
}

const ROLES: Record<string, string> = { human: 'user', ai: 'assistant' };

function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  const { role, content, name, tool_calls } = value as Record<string, unknown>;
  if (typeof role === 'string' && content !== undefined) {
    const calls = (tool_calls ?? []) as { name: string; args: object }[];
    return {
      role: ROLES[role] ?? role,
      content,
      ...(name !== undefined && { name }),
      ...(calls.length > 0 && { calls: calls.map((call) => ({ name: call.name, args: call.args })) }),
    };
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutIds(one)]));
}
