/** An example question for each ready workflow, as links that start a conversation. */
import type { Workflow } from '../data/workflows.ts';
import { Link } from '../parts/link.tsx';
import { address } from '../routing/router.ts';
import './example-questions.css';

interface ExampleQuestionsProps {
  workflows: Workflow[];
  /** Called with the workflow of the selected question. */
  choose?(workflow: string): void;
}

const MAX_QUESTIONS = 6;

export function ExampleQuestions({ workflows, choose }: ExampleQuestionsProps) {
  const examples = workflows
    .flatMap(({ workflow, example, ready }) => (ready && example ? [{ workflow, example }] : []))
    .slice(0, MAX_QUESTIONS);
  if (examples.length === 0) return null;
  return (
    <>
      <p className="small">Try one of these questions:</p>
      <ul className="examples">
        {examples.map(({ workflow, example }) => (
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
