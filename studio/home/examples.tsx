/** Where nothing has run yet: a question for each workflow. */
import { readWorkflows } from '../data/workflows.ts';
import { Link } from '../parts/link.tsx';
import { Empty } from '../parts/states.tsx';
import { useResource } from '../resources.ts';
import { address } from '../router.ts';

export function Examples() {
  const { data } = useResource('workflows', readWorkflows);
  const asked = (data?.workflows ?? []).flatMap(({ workflow, example, ready }) =>
    ready && example ? [{ workflow, example }] : [],
  );
  return (
    <Empty title="Nothing has run in this time">
      {asked.length > 0 && <p className="small">Try one of these questions:</p>}
      <ul className="examples">
        {asked.map(({ workflow, example }) => (
          <li key={workflow}>
            <Link className="button" href={address([], { workflow, draft: example })}>
              {example}
            </Link>
            <span className="muted small">{workflow}</span>
          </li>
        ))}
      </ul>
    </Empty>
  );
}
