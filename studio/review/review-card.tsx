/** An answer that was rated bad, with its feedback and a field for the correct answer. */
import { useState } from 'react';
import { markReviewed, type ReviewItem } from '../data/reviews.ts';
import { AddToDataset } from '../datasets/add-to-dataset.tsx';
import { TextField } from '../datasets/case-fields.tsx';
import { Ago } from '../parts/formats/time.tsx';
import { Link } from '../parts/link.tsx';
import { ErrorNote } from '../parts/states.tsx';
import { ALL_CALLERS, useOwner } from '../routing/owner.ts';
import { address } from '../routing/router.ts';
import { invalidate } from '../service/resources.ts';

export function ReviewCard({ item }: { item: ReviewItem }) {
  const { question, input, answer, feedback, run_id, workflow, owner, created_at } = item;
  const isReviewed = (feedback.review ?? null) !== null;
  const [correction, setCorrection] = useState(feedback.review?.corrected_answer ?? '');
  const [isAdding, setAdding] = useState(false);
  const [error, setError] = useState<Error>();
  const showsOwner = useOwner().owner === ALL_CALLERS;
  const corrected = correction.trim() === '' ? null : correction;

  async function mark(reviewed: boolean) {
    try {
      await markReviewed(item, { reviewed, corrected_answer: corrected });
      setError(undefined);
      return true;
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
      return false;
    }
  }
  async function markAndReload(reviewed: boolean) {
    if (await mark(reviewed)) invalidate('reviews:');
  }
  function close() {
    setAdding(false);
    invalidate('reviews:');
  }
  const source = isInput(input) ? { input } : { prompt: question ?? '' };
  return (
    <>
      <p className="row wrap">
        <strong className="grow words" dir="auto">
          {question ?? 'Run no longer available'}
        </strong>
        <span className="muted small">
          <Ago at={created_at} />
        </span>
      </p>
      <p className="small words" dir="auto">
        {answer}
      </p>
      {feedback.comment && (
        <p className="note waiting words" dir="auto">
          {feedback.comment}
        </p>
      )}
      <p className="row wrap muted small">
        {feedback.rating !== null && <span>Rated {feedback.rating} of 5</span>}
        {feedback.tags.map((tag) => (
          <span key={tag} className="chip">
            {tag}
          </span>
        ))}
        <span>{workflow}</span>
        {showsOwner && <span>{owner}</span>}
        <Link href={address(['runs', run_id], { of: showsOwner ? owner : '' })}>View run</Link>
      </p>
      <TextField label="Correct answer" rows={2} text={correction} change={setCorrection} />
      {error && <ErrorNote error={error} />}
      <div className="row wrap">
        <button type="button" className="button primary" onClick={() => setAdding(true)}>
          Add to dataset
        </button>
        {isReviewed ? (
          <button type="button" className="button" onClick={() => void markAndReload(false)}>
            Mark as unreviewed
          </button>
        ) : (
          <button type="button" className="button" onClick={() => void markAndReload(true)}>
            Mark as reviewed
          </button>
        )}
      </div>
      {isAdding && (
        <AddToDataset
          before={{
            ...source,
            expect: { exact: corrected ?? answer },
            ...(feedback.comment && { notes: feedback.comment }),
            source: { run_id, workflow },
          }}
          added={() => mark(true)}
          close={close}
        />
      )}
    </>
  );
}

function isInput(input: unknown): input is Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}
