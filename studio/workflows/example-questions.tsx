/** A question for each workflow that is ready, as links that begin a conversation with it. */
import type { Workflow } from '../data/workflows.ts';
import { Link } from '../parts/link.tsx';
import { address } from '../router.ts';
import './example-questions.css';

interface ExampleQuestionsProps {
  workflows: Workflow[];
  /** Is called with the workflow of a question that is followed. */
  choose?(workflow: string): void;
}

const MOST = 6;

export function ExampleQuestions({ workflows, choose }: ExampleQuestionsProps) {
  const asked = workflows
    .flatMap(({ workflow, example, ready }) => (ready && example ? [{ workflow, example }] : []))
    .slice(0, MOST);
  if (asked.length === 0) return null;
  return (
    <>
      <p className="small">Try one of these questions:</p>
      <ul className="examples">
        {asked.map(({ workflow, example }) => (
          <li key={workflow}>
            <Link
              className="button"
              href={address([], { workflow, draft: example })}
              onClick={() => choose?.(workflow)}
            >
              {example}
            </Link>
            <span className="muted small">{workflow}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
