/** CopilotKit's runtime as its documentation sets it up (`route.ts`, pasted), and CopilotKit's own client over its wire. */
import { ProxiedCopilotRuntimeAgent } from '@copilotkit/core';
import { GET, POST } from './route.ts';

const [workflow] = process.argv.slice(2);
const server = Bun.serve({
  ...{ hostname: '127.0.0.1', port: 0, idleTimeout: 0 },
  fetch: (request) => (request.method === 'GET' ? GET(request) : POST(request)),
});
const runtimeUrl = `${server.url.origin}/api/copilotkit`;
const agent = new ProxiedCopilotRuntimeAgent({
  runtimeUrl,
  agentId: 'default',
  threadId: `copilot-${workflow}`,
});

const events = [];
const heard = {
  onEvent: ({ event }) => {
    if (/^RUN_(FINISHED|ERROR)$|^TOOL_CALL_RESULT$/.test(event.type)) events.push(event);
    if (process.argv.includes('stop') && event.type === 'TEXT_MESSAGE_CONTENT') agent.abortRun();
  },
};

async function ask(content) {
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content });
  await agent.runAgent({}, heard).catch((error) => events.push({ type: 'thrown', message: String(error) }));
}

await ask('My pedal is broken');
const [{ id: interruptId } = {}] = events.at(-1)?.outcome?.interrupts ?? [];
if (interruptId)
  await agent.runAgent({ resume: [{ interruptId, status: 'resolved', payload: true }] }, heard);
else if (!process.argv.includes('stop')) await ask('And now?');

const said = agent.messages.map(({ role, content }) => `${role}: ${content}`);
const info = await (await fetch(`${runtimeUrl}/info`)).json();
console.log(JSON.stringify({ version: info.version, said, events }));
process.exit(0);
