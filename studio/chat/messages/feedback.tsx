/** The buttons that rate an answer. Clicking the same button again removes the rating. */
import { useState } from 'react';
import type { Message } from '../../data/threads/threads.ts';
import { Icon } from '../../parts/icon.tsx';
import { useOwner } from '../../routing/owner.ts';
import { api, ask } from '../../service/service.ts';

export function Feedback({ message: { message_id, feedback } }: { message: Message }) {
  const [given, setGiven] = useState(feedback?.positive_feedback ?? null);
  const [problem, setProblem] = useState<string>();
  const { owner } = useOwner();
  if (owner !== undefined) return null;

  async function give(positive: boolean) {
    const before = given;
    const next = given === positive ? null : positive;
    setGiven(next);
    try {
      const at = api.messages({ message_id: encodeURIComponent(message_id) });
      await ask(at.feedback.put({ positive_feedback: next }));
      setProblem(undefined);
    } catch (error) {
      setGiven(before);
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }

  return (
    <>
      <button
        type="button"
        className="button small icon quiet"
        aria-label="Good answer"
        aria-pressed={given === true}
        onClick={() => give(true)}
      >
        <Icon name="thumb_up" size={14} />
      </button>
      <button
        type="button"
        className="button small icon quiet"
        aria-label="Bad answer"
        aria-pressed={given === false}
        onClick={() => give(false)}
      >
        <Icon name="thumb_down" size={14} />
      </button>
      {problem && <span role="alert">{problem}</span>}
    </>
  );
}
