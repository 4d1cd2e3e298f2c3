/** Suggested follow-up questions. A click sends one. */
interface SuggestionsProps {
  questions: string[];
  ask(question: string): void;
}

export function Suggestions({ questions, ask }: SuggestionsProps) {
  if (questions.length === 0) return null;
  return (
    <ul className="suggestions" aria-label="Suggested questions">
      {questions.map((question) => (
        <li key={question}>
          <button type="button" className="button small" onClick={() => ask(question)}>
            {question}
          </button>
        </li>
      ))}
    </ul>
  );
}
