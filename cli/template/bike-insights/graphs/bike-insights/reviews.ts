/** The sentiment of reviews: the model judges comments in batches; other reviews are judged by their rating. */
import { type AgentTools, HumanMessage, Type, textsText } from 'skein';
import type { BikeDocument } from './document.ts';
import { nameOf } from './figures.ts';

interface Sentiment {
  label: 'positive' | 'neutral' | 'negative' | 'unknown';
  /** From -1 to 1, the average of the judged reviews; null if there are none. */
  score: number | null;
  reviews: number;
}

/** The sentiment of all reviews, and of groups of reviews, those with the most reviews first. */
export interface ReviewSentiments extends Sentiment {
  by_store: (Sentiment & { store: string })[];
  by_product: (Sentiment & { product_code: string })[];
  by_store_and_product: (Sentiment & { store: string; product_code: string })[];
  /** How the reviews were judged. The model reads only some of thousands of comments, to limit its calls. */
  basis: {
    reviews: number;
    comments: number;
    comments_read: number;
    judged_by_rating: number;
    not_judged: number;
  };
}

const BATCH = 25;
const MAX_BATCHES = 4;
const LONGEST_COMMENT = 300;
const MAX_LISTED = 50;
const MIN_TONE = 0.2;

interface Review {
  store: string;
  product: string;
  rating: number | undefined;
  comment: string;
  score?: number;
}

/** Throws the errors of model calls. */
export async function judgeReviews(document: BikeDocument, tools: AgentTools): Promise<ReviewSentiments> {
  const reviews = reviewsOf(document);
  const sample = spread(reviews.filter(({ comment }) => comment !== ''));
  const batches = Array.from({ length: Math.ceil(sample.length / BATCH) }, (_, index) =>
    sample.slice(index * BATCH, (index + 1) * BATCH),
  );
  if (sample.length > 0) tools.status(`reading ${sample.length} of ${reviews.length} reviews`);
  await Promise.all(batches.map((batch) => judge(batch, tools)));
  const read = sample.filter(({ score }) => score !== undefined).length;
  const byRating = judgedByRating(reviews);
  const judged = reviews.filter(({ score }) => score !== undefined).length;
  return {
    ...sentimentOf(reviews),
    by_store: grouped(reviews, ({ store }) => ({ store })),
    by_product: grouped(reviews, ({ product }) => ({ product_code: product })),
    by_store_and_product: grouped(reviews, ({ store, product }) => ({ store, product_code: product })),
    basis: {
      reviews: reviews.length,
      comments: reviews.filter(({ comment }) => comment !== '').length,
      comments_read: read,
      judged_by_rating: byRating,
      not_judged: reviews.length - judged,
    },
  };
}

const Scores = Type.Object(
  {
    texts: Type.Array(
      Type.Object(
        {
          n: Type.Integer({ description: "The text's number" }),
          score: Type.Number({ description: 'From -1 (very negative) to 1 (very positive)' }),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

/** Stores the scores in the reviews of the batch; unknown numbers are ignored. */
async function judge(batch: Review[], { extract, prompt }: AgentTools): Promise<void> {
  const texts = textsText(batch.map(({ comment }, index) => ({ n: index + 1, text: comment })));
  const system = await prompt({ texts, facts: '', suggestions: '' });
  const messages = [new HumanMessage('Judge the texts.')];
  const { texts: scores } = await extract({ name: 'sentiments', schema: Scores }, system, messages);
  for (const { n, score } of scores) {
    const review = batch[n - 1];
    if (review) review.score = Math.min(1, Math.max(-1, score));
  }
}

function reviewsOf({ stores }: BikeDocument): Review[] {
  return stores.flatMap(({ name, bike_sales = [] }, index) =>
    bike_sales.flatMap(({ product_code, customer_review }): Review[] => {
      if (!customer_review) return [];
      const { rating, comment = '' } = customer_review;
      const product = product_code === undefined ? 'unknown' : nameOf(product_code, 0);
      return [
        { store: nameOf(name, index), product, rating, comment: comment.slice(0, LONGEST_COMMENT).trim() },
      ];
    }),
  );
}

/** Selects as many reviews as fit into the batches, from every store and product in turn. */
function spread(reviews: Review[]): Review[] {
  const groups = [...Map.groupBy(reviews, ({ store, product }) => JSON.stringify([store, product])).values()];
  const chosen: Review[] = [];
  for (let round = 0; chosen.length < Math.min(reviews.length, BATCH * MAX_BATCHES); round++)
    for (const group of groups) {
      const review = group[round];
      if (review && chosen.length < BATCH * MAX_BATCHES) chosen.push(review);
    }
  return chosen;
}

/** Returns the number of judged reviews: 0 unless all ratings are between 1 and 5. */
function judgedByRating(reviews: Review[]): number {
  if (reviews.some(({ rating = 1 }) => rating < 1 || rating > 5)) return 0;
  let judged = 0;
  for (const review of reviews) {
    if (review.score !== undefined || review.rating === undefined) continue;
    review.score = (review.rating - 3) / 2;
    judged++;
  }
  return judged;
}

/** Groups with the most reviews come first. */
function grouped<Names extends object>(
  reviews: Review[],
  namesOf: (review: Review) => Names,
): (Sentiment & Names)[] {
  const groups = Map.groupBy(reviews, (review) => JSON.stringify(namesOf(review)));
  return Array.from(groups, ([names, group]) => ({ ...(JSON.parse(names) as Names), ...sentimentOf(group) }))
    .sort((a, b) => b.reviews - a.reviews)
    .slice(0, MAX_LISTED);
}

function sentimentOf(reviews: readonly Review[]): Sentiment {
  const scores = reviews.map(({ score }) => score).filter((score) => score !== undefined);
  if (scores.length === 0) return { label: 'unknown', score: null, reviews: reviews.length };
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const score = Math.round(mean * 100) / 100;
  const label = score >= MIN_TONE ? 'positive' : score <= -MIN_TONE ? 'negative' : 'neutral';
  return { label, score, reviews: reviews.length };
}
