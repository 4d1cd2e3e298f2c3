/** The model calls for the whole conversation: summaries and follow-up questions. */
import { CallList } from './call-list.tsx';
import { conversationCalls, useCalls } from './use-calls.ts';
import type { KnownRun } from './use-run.ts';

export function ConversationCalls({ known }: { known: KnownRun }) {
  const recorded = useCalls(known);
  const calls = conversationCalls(recorded);
  if (calls.length === 0) return null;
  return (
    <section className="node-details" aria-label="Conversation calls">
      <h3>Conversation</h3>
      <p className="muted small">Model calls for summaries and follow-up questions.</p>
      <CallList workflow={known.run?.workflow ?? ''} {...{ calls, recorded }} agent={null} step={undefined} />
    </section>
  );
}
