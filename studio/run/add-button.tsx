/** The buttons that add a run, the output of a node or a model call to a dataset. */
import { Suspense, useState } from 'react';
import type { Case } from '../data/datasets.ts';
import { readCorrection } from '../data/reviews.ts';
import type { Run } from '../data/runs/runs.ts';
import { lazyPart } from '../lazy-with-styles.ts';

const AddToDataset = lazyPart(async () => ({
  default: (await import('../datasets/add-to-dataset.tsx')).AddToDataset,
}));

interface AddButtonProps {
  run: Run;
  answer: string;
  /** Whether the answer is that of the run, so that the correction from its review applies. */
  isWhole?: boolean;
}

export function AddButton({ run, answer, isWhole = false }: AddButtonProps) {
  const { run_id, workflow, user_prompt, message_id } = run;

  async function makeCase(): Promise<Partial<Case>> {
    // If there is no correction, or it can't be read, use the answer.
    const correction = isWhole ? await readCorrection(message_id).catch(() => undefined) : undefined;
    return {
      ...questionOf(user_prompt),
      expect: { exact: correction ?? answer },
      source: { run_id, workflow },
    };
  }
  return <AddCaseButton label={isWhole ? 'Add to dataset' : 'Add output to dataset'} makeCase={makeCase} />;
}

interface AddCaseButtonProps {
  label: string;
  /** Returns the initial values of the form. */
  makeCase(): Promise<Partial<Case>>;
}

export function AddCaseButton({ label, makeCase }: AddCaseButtonProps) {
  const [before, setBefore] = useState<Partial<Case>>();
  return (
    <>
      <button type="button" className="button small" onClick={async () => setBefore(await makeCase())}>
        {label}
      </button>
      {before && (
        <Suspense>
          <AddToDataset before={before} close={() => setBefore(undefined)} />
        </Suspense>
      )}
    </>
  );
}

/** The prompt of a graph with structured input is that input as JSON. */
function questionOf(prompt: string): Pick<Case, 'prompt' | 'input'> {
  try {
    return prompt.startsWith('{') ? { input: JSON.parse(prompt) } : { prompt };
  } catch {
    return { prompt };
  }
}
