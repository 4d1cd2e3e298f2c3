/** The workflow of the next message. */
import { useState } from 'react';
import { readWorkflows, type Workflow } from '../../data/workflows.ts';
import { useResource } from '../../service/resources.ts';
import { useStoredChoice } from '../../stored-choice.ts';
import type { ConversationView } from './conversation.ts';

export interface WorkflowChoice {
  /** Undefined until the workflows are loaded. */
  name: string | undefined;
  entries: Workflow[];
  /** The workflow called `name`; undefined if it is unknown. */
  entry: Workflow | undefined;
  choose(name: string): void;
}

/** The selected workflow; by default that of the last turn, the one in the address, or the last one used. */
export function useWorkflow(
  { sentTo, thread }: ConversationView,
  wanted: string | undefined,
): WorkflowChoice {
  const { data } = useResource('workflows', readWorkflows);
  const [last, setLast] = useStoredChoice<string>('workflow', '');
  const [chosen, choose] = useState<string>();
  const entries: Workflow[] = data?.workflows ?? [];
  const names = entries.map((one) => one.workflow);
  const remembered = names.includes(last) ? last : names[0];
  const name = chosen ?? sentTo ?? thread?.workflow ?? names.find((one) => one === wanted) ?? remembered;
  return {
    name,
    entries,
    entry: entries.find((one) => one.workflow === name),
    choose(name) {
      choose(name);
      setLast(name);
    },
  };
}
