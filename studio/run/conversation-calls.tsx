/** What the service asked a model for the conversation as a whole: summaries and follow-up questions. */
import { CallList } from './call-list.tsx';
import { conversationCalls, useCalls } from './use-calls.ts';
import type { KnownRun } from './use-run.ts';

export function ConversationCalls({ known }: { known: KnownRun }) {
  const kept = useCalls(known);
  const calls = conversationCalls(kept);
  if (calls.length === 0) return null;
  return (
    <section className="node-details" aria-label="Conversation calls">
      <h3>Conversation</h3>
      <p className="muted small">Summaries and follow-up questions, which no agent asks for.</p>
      <CallList workflow={known.run?.workflow ?? ''} {...{ calls, kept }} agent={null} step={undefined} />
    </section>
  );
}
