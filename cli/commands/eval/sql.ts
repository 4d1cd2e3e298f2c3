/** `skein eval sql`: a regression test that counts the known questions answered with the right rows. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evaluate, type Judged, type WriteSql } from '../../../evals/sql/evaluate.ts';
import { evaluationQuestions } from '../../../evals/sql/questions.ts';
import { openDuckDb } from '../../../tools/sql/duckdb/open.ts';
import { createSampleDatabase } from '../../../tools/sql/sample/create.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { print } from '../../terminal/print.ts';
import { configuredWriter } from './sql-writer.ts';

/** Creates the sample data in a temporary folder: the configured database is not queried. */
export async function evalSql(argv: string[]): Promise<number> {
  const { own, words, rest } = takeFlags(argv, [{ name: '--dev' }]);
  const isDevOnly = own.has('--dev');
  const { writeSql, model, close } = await configuredWriter([...rest, ...words]);
  const questions = (await evaluationQuestions()).filter(({ split }) => !isDevOnly || split === 'dev');
  print(report(await evaluated(questions, writeSql).finally(close), model));
  return 0;
}

async function evaluated(
  questions: Awaited<ReturnType<typeof evaluationQuestions>>,
  writeSql: WriteSql,
): Promise<Judged[]> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-eval-'));
  try {
    const path = join(folder, 'sample.duckdb');
    await createSampleDatabase(path);
    const engine = openDuckDb({ path, maxRows: 10_000, querySeconds: 30 });
    try {
      const rows = async (sql: string) => {
        const result = await engine.query(sql);
        return result.rows.map((row) => result.columns.map(({ name }) => row[name] ?? null));
      };
      return await evaluate({ questions, tables: await engine.tables(), writeSql, rows });
    } finally {
      await engine.close();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

function report(judged: readonly Judged[], model: string): string {
  const failures = judged
    .filter(({ right }) => !right)
    .flatMap(({ question: { split, question, earlier = [] }, sql, reason }) => [
      `${split}: ${[...earlier, question].join(' / ')}`,
      `  ${reason}`,
      ...(sql === '' ? [] : [`  ${sql.replaceAll('\n', '\n  ')}`]),
    ]);
  const accuracy = (['dev', 'second'] as const).flatMap((split) => {
    const half = judged.filter(({ question }) => question.split === split);
    const passed = half.filter((each) => each.right).length;
    if (half.length === 0) return [];
    return [
      `${split.padEnd(6)} ${passed} of ${half.length} passed (${((100 * passed) / half.length).toFixed(1)} %)`,
    ];
  });
  return [...failures, '', `execution accuracy of ${model}`, ...accuracy, WHAT_IT_IS].join('\n').trimStart();
}

const WHAT_IT_IS =
  'A regression test, not a measure of quality: the questions are published, and the rules of the offline model were written with them in view.';
