/** A project of its own workflows in a temporary folder, served. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestOptions, type TestService, testService } from './service.ts';

const SKEIN = join(import.meta.dir, '../../graphs/workflow.ts');
const NAMES =
  'AIMessage, Annotation, Command, Conversation, END, interrupt, Send, START, StateGraph, workflow';

/** Each text is what stands after the imports of a workflow's `graph.ts`. */
export async function projectService(
  workflows: Record<string, string>,
  options: TestOptions = {},
): Promise<TestService> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-project-'));
  for (const [name, text] of Object.entries(workflows)) {
    const imports = `import { ${NAMES} } from ${JSON.stringify(SKEIN)};`;
    await Bun.write(join(folder, 'graphs', name, 'graph.ts'), `${imports}\n${text}`);
  }
  const service = await testService({ ...options, folder });
  return {
    ...service,
    async close() {
      await service.close();
      rmSync(folder, { recursive: true });
    },
  };
}
