/** The themes of reviews, found by the words of the comments, with advice for the staff on each theme. */
import type { BikeDocument } from './document.ts';
import { nameOf } from './figures.ts';

export interface Theme {
  theme: string;
  /** The number of comments about the theme. */
  comments: number;
  average_rating: number | null;
  /** Those with the most such comments, at most three each. */
  products: string[];
  stores: string[];
  lesson: string;
}

const THEMES: { theme: string; question: string; words: RegExp; lesson: string }[] = [
  {
    theme: 'brakes',
    question: 'How are brakes checked and maintained?',
    words: /\b(?:brak(?:e|es|ing)|rotors?|squeal\w*|squeak\w*)\b/i,
    lesson: 'bed in new pads and check the brakes before a bike is handed over, and show how they are used',
  },
  {
    theme: 'gears and drivetrain',
    question: 'How are gears and chain checked and maintained?',
    words: /\b(?:gears?|shift(?:s|ing|er|ers)?|chains?|derailleurs?|pedals?|drivetrain)\b/i,
    lesson: 'adjust the gears on a test ride, and explain that cables settle and need a first service',
  },
  {
    theme: 'battery and motor',
    question: 'How is the battery of an e-bike charged and stored?',
    words: /\b(?:batter(?:y|ies)|motors?|charg(?:e|er|es|ing)|range|electric|e-?bikes?)\b/i,
    lesson: 'explain what shortens the range (load, hills, cold) and how a battery is charged and stored',
  },
  {
    theme: 'comfort and fit',
    question: 'How is a bike fitted to its rider?',
    words: /\b(?:comfort\w*|uncomfortable|saddles?|seats?|handlebars?|sizes?|fit|fits|posture)\b/i,
    lesson: 'measure the rider, and set saddle and handlebar with every sale',
  },
  {
    theme: 'wheels and tyres',
    question: 'How are wheels and tyres checked and maintained?',
    words: /\b(?:wheels?|t[iy]res?|punctures?|flats?|spokes?|rims?)\b/i,
    lesson: 'check spokes and tyre pressure, and say which tyre suits which ground',
  },
  {
    theme: 'frame and quality',
    question: 'What does the warranty on a frame cover?',
    words:
      /\b(?:frames?|quality|paint|scratch\w*|rust\w*|broken?|broke|cracks?|cracked|weld\w*|sturdy|durable)\b/i,
    lesson: 'inspect frame, bolts and paint before hand-over, and know the terms of the warranty',
  },
  {
    theme: 'price and value',
    question: 'What does a service cost?',
    words: /\b(?:pric(?:e|es|ed|ey|y)|value|expensive|cheap|money|worth|cost|costs)\b/i,
    lesson: 'explain what a price contains, and offer the model that suits the budget',
  },
  {
    theme: 'service and delivery',
    question: 'What is checked before a bike leaves the shop?',
    words: /\b(?:service|staff|deliver\w*|support|assembl\w*|warranty|waited|waiting|help(?:ful|ed)?)\b/i,
    lesson: 'agree on a date, keep the customer informed, and hand a bike over assembled and explained',
  },
];

// Longer reviews mention their theme at the beginning.
const EXAMINED = 2_000;
const MAX_NAMES = 3;

/** Only themes with comments, those with the most comments first. */
export function themesOf({ stores }: BikeDocument): Theme[] {
  const counts = THEMES.map(({ theme, words, lesson }) => ({
    theme,
    words,
    lesson,
    comments: 0,
    ratings: [] as number[],
    products: new Map<string, number>(),
    stores: new Map<string, number>(),
  }));
  for (const [index, { name, bike_sales = [] }] of stores.entries()) {
    for (const { product_code, customer_review } of bike_sales) {
      const comment = customer_review?.comment?.slice(0, EXAMINED);
      if (comment === undefined || comment === '') continue;
      for (const each of counts) {
        if (!each.words.test(comment)) continue;
        each.comments++;
        if (customer_review?.rating !== undefined) each.ratings.push(customer_review.rating);
        if (product_code !== undefined) add(each.products, nameOf(product_code, 0));
        add(each.stores, nameOf(name, index));
      }
    }
  }
  return counts
    .filter(({ comments }) => comments > 0)
    .sort((a, b) => b.comments - a.comments)
    .map(({ theme, lesson, comments, ratings, products, stores: places }) => ({
      theme,
      comments,
      average_rating: average(ratings),
      products: most(products),
      stores: most(places),
      lesson,
    }));
}

/** A question to the shop's documents about the theme. */
export function questionAbout({ theme }: Theme): string {
  return THEMES.find((each) => each.theme === theme)?.question ?? USUAL_QUESTION;
}

export const USUAL_QUESTION = 'How often is a bike serviced?';

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function most(counts: Map<string, number>): string[] {
  const ranked = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return ranked.slice(0, MAX_NAMES).map(([name]) => name);
}

function average(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Number.isFinite(mean) ? Math.round(mean * 100) / 100 : null;
}
