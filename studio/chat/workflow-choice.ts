/** Which workflow the next message goes to. */
import { useState } from 'react';
import { readWorkflows, type Workflow } from '../data/workflows.ts';
import { useResource } from '../resources.ts';
import { useStoredChoice } from '../stored-choice.ts';
import type { ConversationView } from './conversation.ts';

export interface WorkflowChoice {
  /** Undefined until the workflows are known. */
  name: string | undefined;
  entries: Workflow[];
  /** The one of `name`, where it is known. */
  entry: Workflow | undefined;
  choose(name: string): void;
}

/** That of the last turn, or the one that is wanted, until somebody takes another. */
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
