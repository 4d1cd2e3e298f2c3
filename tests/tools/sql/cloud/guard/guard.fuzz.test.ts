/** The guard of the cloud databases: its output passes the guard again, and its quotes can contain any text. */
import { expect } from 'bun:test';
import fc from 'fast-check';
import { checkSql } from '../../../../../tools/sql/cloud/guard/guard.ts';
import { MSSQL } from '../../../../../tools/sql/cloud/guard/mssql-syntax.ts';
import { MYSQL } from '../../../../../tools/sql/cloud/guard/mysql-syntax.ts';
import { POSTGRES } from '../../../../../tools/sql/cloud/guard/postgres-syntax.ts';
import { Refused } from '../../../../../tools/sql/cloud/guard/refused.ts';
import type { Syntax } from '../../../../../tools/sql/cloud/guard/syntax.ts';
import { type Token, tokensOf } from '../../../../../tools/sql/cloud/guard/tokens.ts';
import { anyOrder, anyText, edited, property } from '../../../../support/property.ts';
import { ORDINARY_FOR_ALL, ORDINARY_MYSQL, ORDINARY_POSTGRES } from '../ordinary-statements.ts';

const CATALOG = {
  tables: ['stores', 'sales', 'city_sales'],
  columns: new Set(['id', 'city', 'opened', 'store_id', 'amount', 'sold_at', 'note', 'total']),
};
const DIALECTS = [
  { name: 'PostgreSQL', syntax: POSTGRES, path: ['postgres', 'public'], own: ORDINARY_POSTGRES },
  { name: 'MySQL', syntax: MYSQL, path: ['shop'], own: ORDINARY_MYSQL },
  { name: 'SQL Server', syntax: MSSQL, path: ['shop', 'dbo'], own: [] },
];
/** The limit that the driver sets. */
const NO_LIMIT = { count: Number.MAX_SAFE_INTEGER, offset: 0 };
const PIECES = [
  ...[
    'select ',
    ' from ',
    ' where ',
    ' group by ',
    ' order by ',
    ' limit ',
    ' offset ',
    ' with ',
    ' as ',
    ' union ',
    ' join ',
  ],
  ...[
    'stores',
    'sales',
    'city',
    'amount',
    'secrets',
    'pg_user',
    'information_schema.',
    'public.',
    'shop.',
    'x',
  ],
  ...[
    "'",
    "''",
    '"',
    '`',
    '[',
    ']',
    '\\',
    "\\'",
    '--',
    '-- ',
    '/*',
    '*/',
    '/*!',
    '#',
    ';',
    ',',
    '.',
    '(',
    ')',
    '*',
    '\n',
    '\0',
  ],
  ...[
    'sleep(1)',
    'version()',
    'count(*)',
    'lower(city)',
    'pg_read_file',
    "E'",
    "N'",
    '$$',
    '@x',
    '::int',
    ' into x',
    ' for update',
  ],
  ...[
    '1',
    '1e9',
    '0x1',
    '.5',
    ' = ',
    ' or ',
    ' case when ',
    ' end ',
    ' in ',
    ' between ',
    ' is null',
    ' over ()',
    'é',
    '\u00a0',
    '\u2028',
  ],
];

function tokensIn(sql: string, syntax: Syntax): Token[] | undefined {
  try {
    return tokensOf(sql, syntax);
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

for (const { name, syntax, path, own } of DIALECTS) {
  const ordinary = [...ORDINARY_FOR_ALL, ...own].map(([sql]) => sql);
  const statement = fc.oneof(
    edited(fc.constantFrom(...ordinary), PIECES),
    anyOrder(PIECES, 15).map((rest) => `select ${rest}`),
    anyText,
  );
  const catalog = { ...CATALOG, path };
  // People don't write pg_catalog.lower('a').
  const asPeopleWrite = { ...syntax, writeFunction: (word: string) => word };

  property(`${name}: the guard's output passes the guard unchanged`, [statement], (sql) => {
    const verdict = checkSql(sql, catalog, syntax);
    if (!verdict.ok) {
      expect(verdict.reason).not.toBe('');
      return;
    }
    for (const table of verdict.tables) expect(CATALOG.tables).toContain(table);
    const written = checkSql(sql, catalog, asPeopleWrite);
    if (!written.ok) throw new Error(written.reason);
    expect(written.tables).toEqual(verdict.tables);
    expect(checkSql(written.text, catalog, asPeopleWrite)).toEqual({ ...written, limit: NO_LIMIT });
  });

  property(
    `${name}: a quoted text and a quoted name can contain anything`,
    [anyText, anyText],
    (text, given) => {
      const [value, word] = [text, given].map((one) => one.replaceAll('\0', ''));
      const sql = `${syntax.writeName(`a${word}`)} = ${syntax.writeText(value ?? '')}`;
      const tokens: Token[] = [
        { kind: 'name', value: `a${word}` },
        { kind: 'sign', value: '=' },
        { kind: 'text', value: value ?? '' },
        { kind: 'end', value: 'the end' },
      ];
      expect(tokensOf(sql, syntax)).toEqual(tokens);
    },
  );

  property(
    `${name}: tokens are read in linear time, and quotes and comments end`,
    [anyOrder(PIECES, 200)],
    (sql) => {
      const started = performance.now();
      const signs = (tokensIn(sql, syntax) ?? []).filter(({ kind }) => kind === 'sign');
      for (const { value } of signs) expect(value).not.toMatch(/--|\/\*|'/);
      expect(performance.now() - started).toBeLessThan(1_000);
    },
  );
}
