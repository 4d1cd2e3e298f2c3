/** classification_agent: what the document is about, how its customers feel, and what the other agents are asked. */
import {
  type Agent,
  type AgentTools,
  chartOf,
  factsText,
  type SqlWorkParts,
  type Static,
  suggestionsText,
  Type,
} from 'skein';
import type { Figures } from './figures.ts';
import { type Insights, insightsOf } from './insights.ts';
import { judgeReviews, type ReviewSentiments } from './reviews.ts';
import { type InsightsState, Questions } from './state.ts';
import { count } from './words.ts';

const CATEGORIES = ['sales_performance', 'customer_satisfaction', 'stock_planning', 'no_activity'];

const Classification = Type.Object(
  {
    category: Type.String({ enum: CATEGORIES, description: 'What the document calls for most' }),
    topic: Type.String({ description: 'What the document is about, in one to six words' }),
    explanation: Type.String({ description: 'One sentence: why this category' }),
    questions: Questions,
  },
  { additionalProperties: false },
);
type Classification = Static<typeof Classification>;

/** The tables are made meanwhile: the process that holds them takes its time to start. */
export function classify(sqlOf: SqlWorkParts['sqlOf']): Agent<InsightsState> {
  return async (_state, tools) => {
    sqlOf(tools)
      .tables(tools.signal)
      .catch(() => {});
    const insights = insightsOf(tools);
    const sentiment = await judgeReviews(insights.document, tools);
    const found = await classified(insights, sentiment, tools);
    const { category, topic, explanation, questions } = found;
    const { totals, revenue, best_products, worst_products, months, trend } = insights.figures;
    const { overall, basis } = sentiment;
    return {
      content:
        `category ${category}, topic "${topic}", sentiment ${overall.label}` +
        `${overall.score === null ? '' : ` (${overall.score})`} over ${count(basis.reviews, 'review')}. ${explanation}`,
      data: {
        category,
        topic,
        explanation,
        sentiment,
        questions,
        ...{ totals, revenue, best_products, worst_products, months, trend },
        chart: chartOfMonths(insights.figures),
      },
      update: { questions },
    };
  };
}

async function classified(
  insights: Insights,
  sentiment: ReviewSentiments,
  { extract, prompt }: AgentTools,
): Promise<Classification> {
  const { label, score } = sentiment.overall;
  const mood = score === null ? [] : [`The sentiment of the reviews is ${label} (${score}, from -1 to 1).`];
  const system = await prompt({
    texts: '',
    facts: factsText([...insights.facts, ...mood]),
    suggestions: suggestionsText(suggested(insights, sentiment)),
  });
  const found = await extract({ name: 'classification_of_document', schema: Classification }, system);
  // What is no category is what the rules say.
  const category = CATEGORIES.includes(found.category)
    ? found.category
    : categoryOf(insights.figures, sentiment);
  return { ...found, category };
}

/** What rules would answer, by field. */
function suggested(insights: Insights, sentiment: ReviewSentiments): Record<string, string> {
  const { totals, best_products } = insights.figures;
  const category = categoryOf(insights.figures, sentiment);
  const [theme] = insights.themes;
  const about = theme ? theme.theme : 'selling and maintaining bikes';
  return {
    category,
    topic: totals.sales > 0 ? `bike sales of ${count(totals.stores, 'store')}` : 'stores without sales',
    explanation: REASONS[category] ?? '',
    'questions.education_expert': theme
      ? `What can the staff learn from what customers say about ${theme.theme}?`
      : 'What should the stores record so that there is something to learn from?',
    'questions.knowledge_base_agent': `What do our documents say about ${about}?`,
    'questions.sql_manipulation_agent':
      best_products.length > 0
        ? 'Which five product codes have the highest total quantity sold?'
        : 'How many stores are there?',
  };
}

const REASONS: Record<string, string> = {
  sales_performance: 'There are sales, and nothing in the reviews is more urgent than they are.',
  customer_satisfaction: 'The reviews are negative, which comes before the sales.',
  stock_planning: 'There is stock, and there are no sales.',
  no_activity: 'There are neither sales nor stock.',
};

function categoryOf({ totals }: Figures, { overall }: ReviewSentiments): string {
  if (totals.sales === 0) return totals.stock > 0 ? 'stock_planning' : 'no_activity';
  return overall.label === 'negative' ? 'customer_satisfaction' : 'sales_performance';
}

/** Units by month, as the chart of a query with these rows; null where there are too few. */
function chartOfMonths({ months }: Figures) {
  const rows = months.map(({ month, units }) => ({ month, units }));
  const columns = [
    { name: 'month', type: 'DATE' },
    { name: 'units', type: 'BIGINT' },
  ];
  return chartOf({ columns, rows, rowCount: rows.length, truncated: false, durationMs: 0 });
}
