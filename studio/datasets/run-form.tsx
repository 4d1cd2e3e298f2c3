/** The form that runs a dataset with a workflow. */
import { type FormEvent, useState } from 'react';
import { type Dataset, type ResultHead, runDataset } from '../data/datasets.ts';
import { readWorkflows } from '../data/workflows.ts';
import { Icon } from '../parts/icon.tsx';
import { changeQuery } from '../routing/router.ts';
import { invalidate, useResource } from '../service/resources.ts';

export function RunForm({ dataset, last }: { dataset: Dataset; last: ResultHead | undefined }) {
  const { data } = useResource('workflows', readWorkflows);
  const [chosen, choose] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const names = data?.workflows.map(({ workflow }) => workflow) ?? [];
  const candidates = [chosen, last?.workflow, ...dataset.cases.map(({ source }) => source?.workflow)];
  const workflow = candidates.find((one) => one !== undefined && names.includes(one)) ?? names[0];

  async function run(event: FormEvent) {
    event.preventDefault();
    if (workflow === undefined) return;
    setProblem(undefined);
    try {
      const { result_id } = await runDataset(dataset.dataset, workflow);
      invalidate('dataset');
      changeQuery({ view: undefined, result: result_id });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }
  const canRun = dataset.cases.length > 0 && dataset.problems.length === 0;
  return (
    <form className="row wrap" onSubmit={run}>
      <select
        className="field"
        aria-label="Workflow"
        value={workflow ?? ''}
        onChange={(event) => choose(event.target.value)}
      >
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <button type="submit" className="button primary" disabled={!canRun || workflow === undefined}>
        <Icon name="play" size={14} />
        Run
      </button>
      {problem && (
        <span className="small bad" role="alert">
          {problem}
        </span>
      )}
    </form>
  );
}
