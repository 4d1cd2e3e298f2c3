/** education_expert: says what the staff can learn from the reviews. */
import { type Agent, factsText, HumanMessage } from 'skein';
import { insightsOf } from './insights.ts';
import type { InsightsState } from './state.ts';
import type { Theme } from './themes.ts';
import { count, listed, number, shown } from './words.ts';

export const educate: Agent<InsightsState> = async ({ questions }, tools) => {
  const { themes, figures } = insightsOf(tools);
  const question = questions.education_expert;
  const facts = factsText([...lessons(themes), ...(themes.length === 0 ? [NOTHING_SAID] : [])]);
  const system = await tools.prompt({ facts });
  const result = await tools.answer(system, [new HumanMessage(question)]);
  const { average_rating, reviews } = figures.totals;
  return { ...result, data: { question, reviews, average_rating, themes } };
};

const NOTHING_SAID =
  'No review says what could be learnt from: ask customers for a comment on the bike and on the service.';

function lessons(themes: readonly Theme[]): string[] {
  return themes.map(({ theme, comments, average_rating, products, lesson }) => {
    const rated = average_rating === null ? '' : `, with an average rating of ${number(average_rating)}`;
    const about = products.length === 0 ? '' : `, most of them about ${listed(products.map(shown))}`;
    return `${count(comments, 'comment')} ${comments === 1 ? 'speaks' : 'speak'} of ${theme}${rated}${about}: ${lesson}.`;
  });
}
