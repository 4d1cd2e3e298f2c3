/** Statements that compute figures: a single one, one per group, or those of the top groups. */
import { identifier } from '../../../../sql/quote.ts';
import type { Comparison, Noun, Reading } from '../question/reading.ts';
import { comparisonCondition, conditionsOf } from '../statement/conditions.ts';
import { draft as startDraft } from '../statement/draft.ts';
import { isUnits } from '../statement/pick.ts';
import type { Parts } from '../statement/statement.ts';
import type { Entity } from '../tables/catalog.ts';
import { keyOf } from '../tables/joins.ts';
import type { Measure } from './figure-sql.ts';
import { type GroupColumns, groupColumns } from './group-columns.ts';
import { numberIn } from './measures.ts';

const SOME = 5;

export function figures(
  reading: Reading,
  measures: readonly Measure[],
  entities: readonly Entity[],
): Parts | { problem: string } {
  const [measure] = measures;
  if (!measure) return { problem: 'I cannot tell which figure to compute' };
  const draft = startDraft(measure.base, entities);
  const isHaving = (comparison: Comparison) => isOnFigure(comparison, measure);
  const comparisons = reading.comparisons.filter((each) => !isHaving(each));
  const conditions = conditionsOf(reading, draft, { entities, comparisons });
  if ('problem' in conditions) return conditions;
  const groups: GroupColumns[] = [];
  const nouns = groupsOf(reading, measure, entities);
  if (isFirstOfEach(reading, measure, entities))
    return { problem: 'the first row of each group is not supported' };
  if (nouns.some((noun) => isOwnKey(noun, measure)))
    return { problem: `grouped by its own key, ${measure.words} would always be 1` };
  for (const noun of nouns) {
    const columns = groupColumns(noun, { reading, draft, entities });
    if ('problem' in columns) return columns;
    groups.push(columns);
  }
  const values = measures.map((each) => each.sql(draft));
  const [value] = values;
  if (value === undefined || values.includes(undefined))
    return { problem: `no join connects ${measure.base.name} with all columns of ${measure.words}` };
  // The sum over rows that a join repeats would be wrong, and a wrong figure is worse than a refusal.
  if (draft.repeats() && !value.startsWith('count(DISTINCT'))
    return {
      problem: `${measure.words} cannot be filtered by columns of another table without counting rows twice`,
    };
  const alias = identifier(measure.name);
  const { ranking } = reading;
  const having = reading.comparisons.filter(isHaving).map((each) => comparisonCondition(value, each));
  if (having.length > 0 && groups.length === 0)
    return { problem: `I cannot tell to which groups the condition ${having.join(' and ')} applies` };
  if (measure.name === 'in_stock' && reading.asked && having.length === 0 && !ranking)
    having.push(`${value} > 0`);
  const isTime = groups.some((group) => group.isTime) && !ranking;
  return {
    draft,
    select: [
      ...groups.flatMap(({ select }) => select),
      ...measures.map((each, index) => `${values[index]} AS ${identifier(each.name)}`),
    ],
    where: conditions.sql,
    groupBy: groups.flatMap(({ groupBy }) => groupBy),
    having,
    orderBy:
      groups.length === 0
        ? []
        : isTime
          ? groups.flatMap(({ select }) => select.map((_, index) => String(index + 1))).slice(0, 1)
          : [`${alias} ${ranking?.direction === 'asc' ? 'ASC' : 'DESC'}`],
    limit: limitOf(reading, nouns),
    words: [
      measures.map(({ words }) => words).join(' and '),
      ...groups.map(({ words }) => words),
      ...conditions.words,
      ...having,
      ...(reading.comparisons.some((each) => isHaving(each) && each.operator.startsWith('<'))
        ? ['groups without rows are not listed']
        : []),
      ...(limitOf(reading, nouns) === 1 ? ['if several are equal, only one is shown'] : []),
    ],
  };
}

/** "How many stores per store": the result would always be 1. */
function isOwnKey(noun: Noun, { counts }: Measure): boolean {
  if (counts === undefined) return false;
  if (noun.kind === 'entity') return noun.entity === counts;
  if (noun.kind !== 'field') return false;
  const isEntity = !('role' in counts);
  return noun.fields.some((field) => field === counts || (isEntity && keyOf(counts) === field));
}

/** Whether the question asks for the first of each group: "the best bike of each category" is not "the best category". */
function isFirstOfEach(reading: Reading, measure: Measure, entities: readonly Entity[]): boolean {
  const { groups, ranking, nouns, asked } = reading;
  if (!ranking || groups.length === 0) return false;
  const number = numberIn(reading, entities);
  const isOther = (noun: Noun) =>
    (noun.kind === 'entity' && noun.entity !== measure.base && noun.entity !== number?.entity) ||
    (noun.kind === 'field' && !(number && noun.fields.includes(number)));
  return ranking.by !== undefined || asked !== undefined || nouns.some(isOther);
}

/** The number of rows. "The highest price per category" has no limit, because there is a row for each category. */
function limitOf({ ranking, groups, wanted }: Reading, nouns: readonly Noun[]): number | undefined {
  if (!ranking || nouns.length === 0) return undefined;
  return ranking.limit ?? wanted ?? (groups.length > 0 ? undefined : nouns[0]?.plural ? SOME : 1);
}

/** "More than 500 bikes" limits the figure, "more than 500 euros" limits a column. */
function isOnFigure({ noun }: Comparison, { field, name }: Measure): boolean {
  if (noun === undefined || noun.kind === 'concept' || noun.kind === 'entity') return true;
  if (/^(?:units_sold|in_stock)$/.test(name) && isUnits(noun)) return true;
  return noun.kind === 'field' && field !== undefined && noun.fields.includes(field);
}

/** The groups of the figure: those in the question, or otherwise the thing that it asks for. */
function groupsOf(reading: Reading, measure: Measure, entities: readonly Entity[]): Noun[] {
  const { groups, asked, ranking, nouns, comparisons, counts, compares, spans } = reading;
  // "The average quantity per sale" is the average over all rows, because each row is a sale.
  const isOwnRow = (noun: Noun) =>
    measure.isAverage && noun.kind === 'entity' && noun.entity === measure.base;
  if (groups.length > 0) return groups.filter((noun) => !isOwnRow(noun));
  if (compares && spans.length > 1) return [{ kind: 'period', period: 'year' }];
  if (asked) return [asked];
  const isCompared = comparisons.some((each) => isOnFigure(each, measure));
  if ((!ranking && !isCompared) || (counts && !ranking)) return [];
  const number = numberIn(reading, entities);
  const isFigure = (noun: Noun) =>
    noun.kind === 'concept' ||
    (noun.kind === 'field' && number !== undefined && noun.fields.includes(number));
  const first = nouns.find((noun) => !isFigure(noun));
  return first ? [first] : [];
}
