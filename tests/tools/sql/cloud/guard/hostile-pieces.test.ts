/** Ordinary statements with pieces of hostile ones in them: accepted statements have nothing hostile outside of quotes. */
import { expect, test } from 'bun:test';
import { checkSql } from '../../../../../tools/sql/cloud/guard/guard.ts';
import { MSSQL } from '../../../../../tools/sql/cloud/guard/mssql-syntax.ts';
import { MYSQL } from '../../../../../tools/sql/cloud/guard/mysql-syntax.ts';
import { POSTGRES } from '../../../../../tools/sql/cloud/guard/postgres-syntax.ts';
import { HOSTILE } from '../hostile-for-all.ts';
import { HOSTILE_MSSQL } from '../hostile-mssql.ts';
import { HOSTILE_MYSQL } from '../hostile-mysql.ts';
import { HOSTILE_POSTGRES } from '../hostile-postgres.ts';
import { ORDINARY_FOR_ALL, ORDINARY_MYSQL, ORDINARY_POSTGRES } from '../ordinary-statements.ts';

const ROUNDS = 6_000;
const CATALOG = {
  tables: ['stores', 'sales', 'city_sales'],
  columns: new Set(['id', 'city', 'opened', 'store_id', 'amount', 'sold_at', 'note', 'total']),
};
const FORBIDDEN =
  /\b(into|update|delete|insert|drop|create|alter|grant|lock|outfile|dumpfile|procedure|exec|execute|call|copy|do|set|share|sleep|pg_\w+\(|benchmark|load_file|wipe|version|user|current_user|openrowset|regclass)\b|;|@(?!>)|\$|--|\/\*|\\/i;

const WITHOUT_TEXTS = { plain: /N?'(?:[^']|'')*'/g, backslashes: /'(?:[^'\\]|''|\\.)*'/gs };
const NAMES = /"(?:[^"]|"")*"|`(?:[^`]|``)*`/g;

test.each([
  ['postgres', POSTGRES, ['postgres', 'public'], HOSTILE_POSTGRES, ORDINARY_POSTGRES] as const,
  ['mysql', MYSQL, ['shop'], HOSTILE_MYSQL, ORDINARY_MYSQL] as const,
  ['mssql', MSSQL, ['shop', 'dbo'], HOSTILE_MSSQL, [] as [string, number][]] as const,
])('%s', (_dialect, syntax, path, own, ordinary) => {
  const seed = Number(process.env.SKEIN_TEST_SEED ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const hostile = [...Object.values(own), ...Object.values(HOSTILE)]
    .flat()
    .filter(({ length }) => length < 400);
  const good = [...ORDINARY_FOR_ALL, ...ordinary].map(([sql]) => piecesOf(sql));
  let passed = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const pieces = [...pick(good)];
    for (let edits = 1 + random() * 1.5; edits > 0; edits--) {
      const bad = piecesOf(pick(hostile));
      const from = Math.floor(random() * bad.length);
      const some = bad.slice(from, from + 1 + random() * 4);
      pieces.splice(random() * pieces.length, random() * 2, ...some);
    }
    const sql = pieces.join('');
    const verdict = checkSql(sql, { ...CATALOG, path }, syntax);
    if (!verdict.ok) continue;
    passed++;
    const texts = WITHOUT_TEXTS[syntax.backslashes ? 'backslashes' : 'plain'];
    const bare = verdict.text.replace(texts, "''").replace(NAMES, 'x');
    const names = syntax === MSSQL ? bare.replace(/\[(?:[^\]]|\]\])*\]/g, 'x') : bare;
    expect([seed, sql, FORBIDDEN.exec(names)?.[0]]).toEqual([seed, sql, undefined]);
  }
  expect(passed).toBeGreaterThan(30);
});

function piecesOf(sql: string): string[] {
  return sql.match(/'[^']*'|"[^"]*"|`[^`]*`|\w+|\s+|[^\w\s]/g) ?? [];
}

/** The generator of Numerical Recipes. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
