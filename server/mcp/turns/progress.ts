/** Sends MCP progress notifications during a turn, to clients that request them. */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Turn } from '../../../runtime/intake/turn.ts';
import { CHAT, type ChatEvent } from '../../../runtime/journal/chat-events.ts';
import type { McpCall } from '../call.ts';

export function wantsProgress({ mcpReq }: ServerContext): boolean {
  return mcpReq._meta?.progressToken !== undefined;
}

/** Sends notifications until the run has ended. */
export async function reportProgress(
  { services: { runtime }, owner }: McpCall,
  { runId }: Turn,
  { mcpReq }: ServerContext,
): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  // Store the run durably before the client learns of it, so that it survives a power failure.
  await runtime.durable(runId);
  const { batches } = await runtime.follow(owner, runId, { view: CHAT, after: 0 }, { orEnd: true });
  const messageOf = progressMessages();
  let progress = 0;
  for await (const { events } of batches)
    for (const event of events) {
      const message = messageOf(event);
      if (message === undefined) continue;
      progress++;
      const params = { progressToken, progress, message };
      await mcpReq.notify({ method: 'notifications/progress', params });
    }
}

/** Keeps clients from timing out while an agent writes. The notifications don't contain the text itself. */
const WRITING_EVERY_MS = 1_000;

/** Returns a function that describes an event; undefined if no notification is due for it. */
function progressMessages(): (event: ChatEvent) => string | undefined {
  let notifiedAt = Number.NEGATIVE_INFINITY;
  return ({ event, data }) => {
    if (event === 'agent') return `${data.agent} ${data.state}`;
    if (event === 'status')
      return data.state === undefined || data.state === 'started' ? `${data.agent}: ${data.text}` : undefined;
    if (event === 'tool') return `${data.agent}: ${data.tool} ${data.state}`;
    if (event !== 'token' || performance.now() - notifiedAt < WRITING_EVERY_MS) return undefined;
    notifiedAt = performance.now();
    return `${data.agent} is writing`;
  };
}
