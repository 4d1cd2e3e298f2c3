/** The review page: answers that were rated bad. */
import { listReviews } from '../data/reviews.ts';
import '../datasets/datasets.css';
import { EvaluationTabs } from '../datasets/evaluation-tabs.tsx';
import { OwnerFilter } from '../owner/owner-filter.tsx';
import { Empty, ErrorNote, Loading } from '../parts/states.tsx';
import { useOwner } from '../routing/owner.ts';
import type { PageProps } from '../routing/page-props.ts';
import { changeQuery } from '../routing/router.ts';
import { invalidate } from '../service/resources.ts';
import { usePages } from '../service/use-pages.ts';
import { ReviewCard } from './review-card.tsx';

export default function ReviewPage({ query }: PageProps) {
  const { owner } = useOwner();
  const reviewed = query.get('reviewed') === 'true';
  const pages = usePages(`reviews:${reviewed}`, async (cursor) => {
    const { reviews, next_cursor } = await listReviews({ reviewed, owner }, cursor);
    return { items: reviews, next: next_cursor };
  });
  return (
    <div className="page">
      <div className="inner">
        <header className="page-head">
          <div className="grow">
            <h1>Review</h1>
            <p className="muted small">Answers with a thumbs-down, or rated 1 or 2 of 5.</p>
          </div>
          <OwnerFilter choose={(chosen) => changeQuery({ owner: chosen })} />
          <select
            className="field"
            aria-label="Show"
            value={String(reviewed)}
            onChange={(event) =>
              changeQuery({ reviewed: event.target.value === 'true' ? 'true' : undefined })
            }
          >
            <option value="false">To review</option>
            <option value="true">Reviewed</option>
          </select>
        </header>
        <EvaluationTabs current="review" />
        {pages.error && <ErrorNote error={pages.error} retry={() => invalidate('reviews:')} />}
        {!pages.items && !pages.error && <Loading lines={6} />}
        {pages.items?.length === 0 && (
          <Empty title={reviewed ? 'No reviewed answers' : 'Nothing to review'}>
            <p className="small">Answers with a bad rating appear here.</p>
          </Empty>
        )}
        <ol className="stack" aria-label="Answers">
          {pages.items?.map((item) => (
            <li key={item.message_id} className="panel case">
              <ReviewCard item={item} />
            </li>
          ))}
        </ol>
        {pages.more && (
          <button type="button" className="button quiet" onClick={pages.more}>
            Load more
          </button>
        )}
      </div>
    </div>
  );
}
