/** Reads a workflow's file, which only defines it: one that does more is refused, and harms no other. */
import type { Workflow } from './workflow.ts';

const READ_MS = 10_000;
const { exit } = process;

/** Undefined where it exports none. Throws what the file throws, and where it does not come to its end or ends the process. */
export async function readDefinition(file: string): Promise<Workflow | undefined> {
  const late = Promise.withResolvers<never>();
  const reason = `it does not come to its end within ${READ_MS / 1000} s: what it awaits belongs into its agents`;
  const timer = setTimeout(() => late.reject(new Error(reason)), READ_MS);
  process.exit = () => {
    throw new Error('it ends the process where it is read');
  };
  try {
    const { default: definition } = await Promise.race([import(file), late.promise]);
    return definition as Workflow | undefined;
  } finally {
    clearTimeout(timer);
    process.exit = exit;
  }
}
