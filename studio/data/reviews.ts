/** Answers that were rated bad, and their reviews. */
import { SkeinApiError } from '../../client/api-error.ts';
import { api, ask } from '../service/service.ts';
import { omitEmpty } from './threads/threads.ts';

interface ReviewFilter {
  reviewed: boolean;
  /** For operators who look at another caller's answers. */
  owner: string | undefined;
}

export function listReviews({ reviewed, owner }: ReviewFilter, cursor?: string) {
  const query = {
    reviewed: reviewed ? ('true' as const) : ('false' as const),
    ...omitEmpty({ owner, cursor }),
  };
  return ask(api.reviews.get({ query }));
}

export type ReviewItem = Awaited<ReturnType<typeof listReviews>>['reviews'][number];

export const markReviewed = (
  { message_id }: Pick<ReviewItem, 'message_id'>,
  review: { reviewed: boolean; corrected_answer?: string | null },
) => ask(api.reviews({ message_id: encodeURIComponent(message_id) }).put(review));

/** The corrected answer from the review; otherwise undefined. */
export async function readCorrection(message: string): Promise<string | undefined> {
  try {
    const at = api.messages({ message_id: encodeURIComponent(message) });
    return (await ask(at.feedback.get())).review?.corrected_answer ?? undefined;
  } catch (error) {
    if (error instanceof SkeinApiError && error.status === 404) return undefined;
    throw error;
  }
}
