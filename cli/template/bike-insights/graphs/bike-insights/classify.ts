/** classification_agent: determines the document's category, the customers' sentiment, and the questions for the other agents. */
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
import { questionAbout, type Theme, USUAL_QUESTION } from './themes.ts';
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

/** Creates the tables in parallel, because their process takes some time to start. */
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
    return {
      content: `category ${category}, topic "${topic}", ${sentimentText(sentiment)}. ${explanation}`,
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

function sentimentText({ label, score, basis }: ReviewSentiments): string {
  const { reviews, comments, comments_read, judged_by_rating } = basis;
  const judged = `sentiment ${label}${score === null ? '' : ` (${score})`} over ${count(reviews, 'review')}`;
  if (comments_read === comments) return judged;
  const others = judged_by_rating === 0 ? 'the others not judged' : 'the others judged by their rating';
  return `${judged}, of which ${count(comments_read, 'comment')} were read and ${others}`;
}

async function classified(
  insights: Insights,
  sentiment: ReviewSentiments,
  { extract, prompt }: AgentTools,
): Promise<Classification> {
  const { label, score } = sentiment;
  const mood = score === null ? [] : [`The sentiment of the reviews is ${label} (${score}, from -1 to 1).`];
  const rules = suggested(insights, sentiment);
  const system = await prompt({
    texts: '',
    facts: factsText([...insights.facts, ...mood]),
    suggestions: suggestionsText(rules),
  });
  const found = await extract({ name: 'classification_of_document', schema: Classification }, system);
  /** Falls back to the rules if the model returns an empty text; truncates long texts. */
  const textOrRule = (text: string, field: string) =>
    text.trim().slice(0, LONGEST_TEXT).toWellFormed() || (rules[field] ?? '');
  const { category, topic, explanation, questions } = found;
  return {
    category: CATEGORIES.includes(category) ? category : (rules.category ?? ''),
    topic: textOrRule(topic, 'topic'),
    explanation: textOrRule(explanation, 'explanation'),
    questions: {
      education_expert: textOrRule(questions.education_expert, 'questions.education_expert'),
      knowledge_base_agent: textOrRule(questions.knowledge_base_agent, 'questions.knowledge_base_agent'),
      sql_manipulation_agent: textOrRule(
        questions.sql_manipulation_agent,
        'questions.sql_manipulation_agent',
      ),
    },
  };
}

const LONGEST_TEXT = 500;

/** The answers of simple rules, by field. */
function suggested(insights: Insights, sentiment: ReviewSentiments): Record<string, string> {
  const { totals, best_products } = insights.figures;
  const category = categoryOf(insights.figures, sentiment);
  const theme = worstOf(insights.themes);
  return {
    category,
    topic: totals.sales > 0 ? `bike sales of ${count(totals.stores, 'store')}` : 'stores without sales',
    explanation: REASONS[category] ?? '',
    'questions.education_expert': theme
      ? `What can the staff learn from what customers say about ${theme.theme}?`
      : 'What should the stores record so that there is something to learn from?',
    'questions.knowledge_base_agent': theme ? questionAbout(theme) : USUAL_QUESTION,
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

/** The theme with the lowest average rating. */
function worstOf(themes: readonly Theme[]): Theme | undefined {
  const rating = ({ average_rating }: Theme) => average_rating ?? Number.POSITIVE_INFINITY;
  return themes.toSorted((a, b) => (rating(a) < rating(b) ? -1 : Number(rating(a) > rating(b))))[0];
}

function categoryOf({ totals }: Figures, { label }: ReviewSentiments): string {
  if (totals.sales === 0) return totals.stock === 0 ? 'no_activity' : 'stock_planning';
  return label === 'negative' ? 'customer_satisfaction' : 'sales_performance';
}

/** A chart of units by month; null if there are too few months. */
function chartOfMonths({ months }: Figures) {
  const rows = months.map(({ month, units }) => ({ month, units }));
  const columns = [
    { name: 'month', type: 'DATE' },
    { name: 'units', type: 'BIGINT' },
  ];
  return chartOf({ columns, rows, rowCount: rows.length, truncated: false, durationMs: 0 });
}
