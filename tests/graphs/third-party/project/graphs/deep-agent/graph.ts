/** An agent of `deepagents` with a sub-agent, files of the thread and permanent files; it asks before it publishes. */
import { CompositeBackend, createDeepAgent, StateBackend, StoreBackend } from 'deepagents';
import { tool } from 'langchain';
import { z } from 'zod';
import { model } from '../../model.ts';

const publish = tool(({ file }: { file: string }) => `${file} is published`, {
  name: 'publish',
  description: 'Publishes a file',
  schema: z.object({ file: z.string() }),
});

export default createDeepAgent({
  model,
  tools: [publish],
  systemPrompt: 'You write reports.',
  subagents: [{ name: 'checker', description: 'Checks facts', systemPrompt: 'You check facts.' }],
  interruptOn: { publish: true },
  backend: (config) =>
    new CompositeBackend(new StateBackend(config), { '/memories/': new StoreBackend(config) }),
});
