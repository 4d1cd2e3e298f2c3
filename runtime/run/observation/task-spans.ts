/** The spans of a run's agents, tools and model calls, after https://github.com/open-telemetry/semantic-conventions-genai */
import type { RunnableConfig } from '@langchain/core/runnables';
import { taskOf } from '../../../graphs/authoring/run/run-context.ts';
import type { RunSpans } from '../../../graphs/authoring/run/run-spans.ts';
import { agentOf, type GraphLocation, type NewEntry } from '../../../state/threads/events.ts';
import { chatSpan, endChatSpan, spoken } from '../../../tools/telemetry/chat-span.ts';
import type { Span, Tracing } from '../../../tools/telemetry/tracing.ts';

export interface TaskSpans extends RunSpans {
  /** Takes each entry of the run's log, to start and end the spans of tasks. */
  note(entry: NewEntry): void;
  /** Ends all open spans, because the run has ended. */
  close(error?: string): void;
}

export function taskSpans(tracing: Tracing, run: Span): TaskSpans {
  /** By the id of the task. */
  const tasks = new Map<string, Span>();
  const tools = new Map<string, Span>();
  const calls = new Map<string, Span>();

  function around({ ns = [] }: GraphLocation): Span {
    const ids = ns.map((task) => task.slice(task.lastIndexOf(':') + 1));
    const inner = ids.findLast((id) => tasks.has(id)) ?? '';
    return tasks.get(inner) ?? run;
  }

  function taskStarted(id: string, entry: NewEntry & { kind: 'task' }): void {
    const { attempt, execution, part } = entry.body;
    const numbers = { 'skein.attempt': attempt, 'skein.execution': execution };
    const begun = tasks.get(id);
    // A further attempt of the same task continues its span.
    if (begun) {
      begun.set(numbers);
      return;
    }
    const agent = agentOf(entry);
    const attributes = {
      ...(part === undefined && { 'gen_ai.operation.name': 'invoke_agent' }),
      ...{ 'gen_ai.agent.name': agent, 'skein.agent.step': part, ...numbers },
      'skein.node': entry.node,
    };
    const name = part === undefined ? `invoke_agent ${agent}` : `step ${part}`;
    tasks.set(id, tracing.begin(name, { parent: around(entry), attributes }));
  }

  function taskEnded(id: string, { body }: NewEntry & { kind: 'task_end' }): void {
    const span = tasks.get(id);
    if (!span) return;
    tasks.delete(id);
    const content = body.output?.content;
    if (tracing.content && content) span.set({ 'gen_ai.output.messages': spoken('assistant', content) });
    span.set({ 'skein.agent.state': body.state });
    span.end(body.state === 'failed' ? body.error?.error_code : undefined);
  }

  return {
    note(entry) {
      if (entry.taskId === undefined) return;
      if (entry.kind === 'task') taskStarted(entry.taskId, entry);
      if (entry.kind === 'task_end') taskEnded(entry.taskId, entry);
    },
    within(config, work) {
      const span = tools.get(parentOf(config)) ?? tasks.get(taskOf(config).location.taskId ?? '');
      return span ? tracing.within(span, work) : work();
    },
    toolStarted(id, { tool, input, toolCallId }) {
      const attributes = {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool,
        'gen_ai.tool.type': 'function',
        'gen_ai.tool.call.id': toolCallId,
        'gen_ai.tool.call.arguments': tracing.content ? input : undefined,
      };
      tools.set(id, tracing.begin(`execute_tool ${tool}`, { attributes }));
    },
    toolEnded(id, { output, error }) {
      const span = tools.get(id);
      tools.delete(id);
      if (tracing.content && output !== undefined)
        span?.set({ 'gen_ai.tool.call.result': JSON.stringify(output) });
      span?.end(error === undefined ? undefined : 'tool_error');
    },
    callStarted(id, call) {
      calls.set(id, chatSpan(tracing, call));
    },
    callEnded(id, call) {
      const span = calls.get(id);
      calls.delete(id);
      if (span) endChatSpan(tracing, span, { call });
    },
    close(error) {
      for (const open of [calls, tools, tasks]) {
        for (const span of [...open.values()].reverse()) span.end(error);
        open.clear();
      }
    },
  };
}

/** LangChain's run id of the call that the config belongs to. */
function parentOf({ callbacks }: RunnableConfig): string {
  const manager = callbacks as { getParentRunId?(): string | undefined } | undefined;
  return manager?.getParentRunId?.() ?? '';
}
