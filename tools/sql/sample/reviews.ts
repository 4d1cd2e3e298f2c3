/** Reviews by buyers of bikes, a few weeks after they bought them. */
import { type Category, PRODUCTS } from './products.ts';
import { type Random, seededRandom } from './random.ts';
import type { Sale } from './sales.ts';

export interface Review {
  review_id: number;
  product_id: number;
  store_id: number;
  /** 1 to 5. */
  rating: number;
  comment: string;
  /** ISO date. */
  review_date: string;
}

const REVIEWED = 0.135;

/** Each review belongs to a sale, from which it has the bike and the shop, and is written on a later day. */
export function sampleReviews(sales: readonly Sale[]): Review[] {
  const random = seededRandom(20230615);
  return sales
    .filter(() => random.chance(REVIEWED))
    .map(({ product_id, store_id, sale_date }) => {
      const product = PRODUCTS[product_id - 1];
      const rating = ratingOf(product_id, random);
      const written = new Date(`${sale_date}T00:00:00Z`);
      written.setUTCDate(written.getUTCDate() + random.whole(5, 60));
      return {
        product_id,
        store_id,
        rating,
        comment: commentOf(rating, product?.category ?? 'city', random),
        review_date: written.toISOString().slice(0, 10),
      };
    })
    .sort((a, b) => a.review_date.localeCompare(b.review_date))
    .map((review, index) => ({ review_id: index + 1, ...review }));
}

/** Every seventh bike gets bad ratings, and every fifth gets very good ones. */
function ratingOf(productId: number, random: Random): number {
  const [one, two, three, four, five] =
    productId % 7 === 3 ? [14, 20, 28, 26, 12] : productId % 5 === 1 ? [1, 2, 8, 29, 60] : [3, 6, 16, 40, 35];
  const weights = new Map([
    [1, one],
    [2, two],
    [3, three],
    [4, four],
    [5, five],
  ]);
  return random.weighted([...weights.keys()], (rating) => weights.get(rating) ?? 0);
}

const VERDICTS: Record<number, readonly string[]> = {
  1: ['Very disappointed.', 'I sent it back.', 'Would not buy it again.', 'Broken after two weeks.'],
  2: ['Not what I hoped for.', 'Too many small faults.', 'Needs work before it rides well.'],
  3: ['It does its job.', 'All right for the price.', 'Some good, some bad.'],
  4: ['A good bike.', 'Happy with it.', 'Good value for the money.', 'Rides well from the first day.'],
  5: ['I love it!', 'The best bike I have owned.', 'Perfect, would buy it again.', 'Better than I expected.'],
};

const GOOD: Record<Category, readonly string[]> = {
  road: ['Light and fast on long climbs.', 'The gears shift cleanly.', 'Very stiff frame, superb brakes.'],
  mountain: [
    'The fork takes everything.',
    'Great grip on wet roots.',
    'Climbs well and is calm on the way down.',
  ],
  city: ['Comfortable saddle, upright position.', 'The lights are bright.', 'Perfect for the way to work.'],
  'e-bike': ['The battery lasts a week of commuting.', 'Quiet motor with a lot of push.', 'Hills are gone.'],
  kids: [
    'Our daughter learned to ride in a day.',
    'Light enough for a child.',
    'Robust, survived our twins.',
  ],
  gravel: [
    'Fast on the road and calm on gravel.',
    'Room for wide tyres and bags.',
    'Made for long days out.',
  ],
};

const BAD: Record<Category, readonly string[]> = {
  road: ['The saddle hurts after an hour.', 'The rear wheel went out of true.', 'Creaks under load.'],
  mountain: ['The brakes squeal.', 'The fork leaked oil.', 'Heavier than advertised.'],
  city: ['The chain guard rattles.', 'The lock jams.', 'The lights failed in the rain.'],
  'e-bike': [
    'The battery is empty after 30 km.',
    'The display freezes.',
    'Too heavy to carry up the stairs.',
  ],
  kids: ['The paint came off quickly.', 'The brake lever is too far for small hands.', 'The bell broke.'],
  gravel: ['The tyres puncture easily.', 'The handlebar tape came loose.', 'Toe overlap in small sizes.'],
};

function commentOf(rating: number, category: Category, random: Random): string {
  const verdict = random.pick(VERDICTS[rating] ?? ['']);
  const praise = random.pick(GOOD[category]);
  const complaint = random.pick(BAD[category]);
  if (rating === 3)
    return `${verdict} ${praise} But: ${complaint.charAt(0).toLowerCase()}${complaint.slice(1)}`;
  return `${verdict} ${rating > 3 ? praise : complaint}`;
}
