/** What a run, or one of its nodes, answered becomes a case of a dataset. */
import { lazy, Suspense, useState } from 'react';
import type { Case } from '../data/datasets.ts';
import { readCorrection } from '../data/reviews.ts';
import type { Run } from '../data/runs.ts';

const AddToDataset = lazy(async () => ({
  default: (await import('../datasets/add-to-dataset.tsx')).AddToDataset,
}));

interface AddButtonProps {
  run: Run;
  answer: string;
  /** The answer is that of the whole run, so that a correction of it counts. */
  isWhole?: boolean;
}

export function AddButton({ run, answer, isWhole = false }: AddButtonProps) {
  const [before, setBefore] = useState<Partial<Case>>();
  const { run_id, workflow, user_prompt, message_id } = run;

  async function open() {
    // Without one the answer is offered as it was.
    const correction = isWhole ? await readCorrection(message_id).catch(() => undefined) : undefined;
    setBefore({
      ...askedOf(user_prompt),
      expect: { exact: correction ?? answer },
      source: { run_id, workflow },
    });
  }
  return (
    <>
      <button type="button" className="button small" onClick={() => void open()}>
        {isWhole ? 'Add to dataset' : 'Add output to dataset'}
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
