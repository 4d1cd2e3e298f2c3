/** The workflows by name. Those that can't run are included, with the reason. */
import type { Discovered } from '../../graphs/discovery/discover.ts';
import { configurationError, SkeinError } from '../../state/errors.ts';
import { nearest } from '../../state/schema/nearest.ts';
import { registerAdopted } from './adopted.ts';
import { broken, type RegisteredWorkflow, type RunnableWorkflow } from './registered.ts';
import { workflowName } from './workflow-name.ts';
import type { WorkflowParts } from './workflow-tools.ts';
import { registerWritten } from './written.ts';

export interface Registry {
  workflows: RegisteredWorkflow[];
  /** The name may be written with hyphens or underscores, in any case. */
  find(name: string): RegisteredWorkflow | undefined;
  /** Throws INVALID_WORKFLOW_TYPE or CONFIGURATION_ERROR if the workflow is unknown or can't run. */
  runnable(name: string): RunnableWorkflow;
}

/** Throws CONFIGURATION_ERROR for settings that don't match a workflow's schema or name an unknown workflow. */
export async function registerWorkflows(found: Discovered[], parts: WorkflowParts): Promise<Registry> {
  refuseUnknownNames(found, parts.settings);
  const files = await parts.prompts.list();
  const workflows = await Promise.all(
    found.map((one) => {
      const others = found.filter((other) => other !== one && hasSameName(other, one));
      return register(others.length > 0 ? clashing(one, others) : one, parts, files);
    }),
  );
  const byName = new Map(workflows.map((workflow) => [workflowName(workflow.name), workflow]));
  const find = (name: string) => byName.get(workflowName(name));
  return {
    workflows,
    find,
    runnable(name) {
      const workflow = find(name);
      if (workflow?.refusal) throw workflow.refusal;
      if (!workflow?.graph) throw invalidWorkflow(workflow, workflows);
      return { ...workflow, graph: workflow.graph };
    },
  };
}

function register(
  one: Discovered,
  parts: WorkflowParts,
  files: string[],
): Promise<RegisteredWorkflow> | RegisteredWorkflow {
  if (one.definition) return registerWritten(one, parts, files);
  if (one.adopted) return registerAdopted(one, parts);
  return broken(one, one.problem);
}

function hasSameName(one: Discovered, other: Discovered): boolean {
  return workflowName(one.name) === workflowName(other.name);
}

/** A workflow whose normalized name is also another's. */
function clashing({ name, source, folder, sourceFile }: Discovered, others: Discovered[]): Discovered {
  const theirs = others.map((other) => `'${other.name}' in ${other.sourceFile.file}`).join(', ');
  const problem = `${sourceFile.file}: '${name}' has the same name as ${theirs}; rename one of them`;
  return { name, source, folder, sourceFile, problem };
}

function refuseUnknownNames(found: Discovered[], settings: Record<string, unknown>): void {
  const names = found.map(({ name }) => name);
  for (const name of Object.keys(settings)) {
    if (names.some((one) => workflowName(one) === name)) continue;
    const close = nearest(name, names);
    const hint = close ? `, did you mean '${close}'?` : `; there are: ${names.join(', ')}`;
    throw configurationError(`workflows.${name}`, `no such workflow${hint}`);
  }
}

function invalidWorkflow(workflow: RegisteredWorkflow | undefined, all: RegisteredWorkflow[]): SkeinError {
  const names = all.filter(({ graph }) => graph).map(({ name }) => name);
  const why = workflow
    ? `'${workflow.name}' cannot be loaded, see the service's log`
    : 'no workflow of that name';
  return new SkeinError('INVALID_WORKFLOW_TYPE', {
    detail: `Class ConversationFlow not found: ${why}. Available: ${names.join(', ')}`,
  });
}
