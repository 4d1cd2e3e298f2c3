/** Where nothing has run yet: a question for each workflow. */
import { readWorkflows } from '../data/workflows.ts';
import { Empty } from '../parts/states.tsx';
import { useResource } from '../resources.ts';
import { ExampleQuestions } from '../workflows/example-questions.tsx';

export function Examples() {
  const { data } = useResource('workflows', readWorkflows);
  return (
    <Empty title="Nothing has run in this time">
      <ExampleQuestions workflows={data?.workflows ?? []} />
    </Empty>
  );
}
