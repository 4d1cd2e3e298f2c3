/** What a client is told of a turn while it runs: MCP's progress notifications, for those that ask for them. */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Turn } from '../../../runtime/intake/turn.ts';
import { CHAT, type ChatEvent } from '../../../runtime/journal/chat-events.ts';
import type { McpCall } from '../call.ts';

export function wantsProgress({ mcpReq }: ServerContext): boolean {
  return mcpReq._meta?.progressToken !== undefined;
}

/** Resolves when the run has ended. */
export async function reportProgress(
  { services: { runtime }, owner }: McpCall,
  { runId }: Turn,
  { mcpReq }: ServerContext,
): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  // What is told of the run from here on must be true after a loss of power too.
  await runtime.durable(runId);
  const { batches } = await runtime.follow(owner, runId, { view: CHAT, after: 0 }, { orEnd: true });
  const text = progressTexts();
  let progress = 0;
  for await (const { events } of batches)
    for (const event of events) {
      const message = text(event);
      if (message === undefined) continue;
      progress++;
      const params = { progressToken, progress, message };
      await mcpReq.notify({ method: 'notifications/progress', params });
    }
}

/** A sign of life for clients that give up on a silent request, not the text itself. */
const WRITING_EVERY_MS = 1_000;

/** Gives what there is to tell of an event, if anything. */
function progressTexts(): (event: ChatEvent) => string | undefined {
  let toldAt = Number.NEGATIVE_INFINITY;
  return ({ event, data }) => {
    if (event === 'agent') return `${data.agent} ${data.state}`;
    if (event === 'status')
      return data.state === undefined || data.state === 'started' ? `${data.agent}: ${data.text}` : undefined;
    if (event === 'tool') return `${data.agent}: ${data.tool} ${data.state}`;
    if (event !== 'token' || performance.now() - toldAt < WRITING_EVERY_MS) return undefined;
    toldAt = performance.now();
    return `${data.agent} is writing`;
  };
}
