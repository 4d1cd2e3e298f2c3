/** A command of LangGraph's protocol as LangGraph takes it. */
import { Command, Send } from '@langchain/langgraph';
import type { RunCommand } from '../../state/runs.ts';

export function graphCommand({ resume, update, goto = [] }: RunCommand): Command {
  const to = goto.map((one) => (typeof one === 'string' ? one : new Send(one.node, one.input)));
  return new Command({
    ...(resume !== undefined && { resume }),
    ...(update && { update: Array.isArray(update) ? Object.fromEntries(update) : update }),
    ...(to.length > 0 && { goto: to }),
  });
}
