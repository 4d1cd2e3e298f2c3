/** A run, the output of a node or a model call becomes a case of a dataset. */
import { Suspense, useState } from 'react';
import type { Case } from '../data/datasets.ts';
import { readCorrection } from '../data/reviews.ts';
import type { Run } from '../data/runs.ts';
import { part } from '../later.ts';

const AddToDataset = part(async () => ({
  default: (await import('../datasets/add-to-dataset.tsx')).AddToDataset,
}));

interface AddButtonProps {
  run: Run;
  answer: string;
  /** The answer is that of the whole run, so that a correction of it counts. */
  isWhole?: boolean;
}

export function AddButton({ run, answer, isWhole = false }: AddButtonProps) {
  const { run_id, workflow, user_prompt, message_id } = run;

  async function made(): Promise<Partial<Case>> {
    // Without one the answer is offered as it was.
    const correction = isWhole ? await readCorrection(message_id).catch(() => undefined) : undefined;
    return {
      ...askedOf(user_prompt),
      expect: { exact: correction ?? answer },
      source: { run_id, workflow },
    };
  }
  return <AddCaseButton label={isWhole ? 'Add to dataset' : 'Add output to dataset'} made={made} />;
}

interface AddCaseButtonProps {
  label: string;
  /** What the form begins with. */
  made(): Promise<Partial<Case>>;
}

export function AddCaseButton({ label, made }: AddCaseButtonProps) {
  const [before, setBefore] = useState<Partial<Case>>();
  return (
    <>
      <button type="button" className="button small" onClick={async () => setBefore(await made())}>
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

/** A graph that takes no prompt was given an object. */
function askedOf(prompt: string): Pick<Case, 'prompt' | 'input'> {
  try {
    return prompt.startsWith('{') ? { input: JSON.parse(prompt) } : { prompt };
  } catch {
    return { prompt };
  }
}
