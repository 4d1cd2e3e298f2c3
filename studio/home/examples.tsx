/** The empty state of the home page: an example question for each workflow. */
import { readWorkflows } from '../data/workflows.ts';
import { Empty } from '../parts/states.tsx';
import { useResource } from '../service/resources.ts';
import { ExampleQuestions } from '../workflows/example-questions.tsx';

export function Examples() {
  const { data } = useResource('workflows', readWorkflows);
  return (
    <Empty title="No runs in this period">
      <ExampleQuestions workflows={data?.workflows ?? []} />
    </Empty>
  );
}
