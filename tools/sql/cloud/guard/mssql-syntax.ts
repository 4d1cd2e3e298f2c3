/**
 * SQL Server's dialect for the guard. Functions that are not listed are rejected. It has not been tested with a real server.
 */
import { type Syntax, words } from './syntax.ts';

const FUNCTIONS = `abs acos approx_count_distinct ascii asin atan atn2 avg ceiling char charindex choose coalesce concat
  concat_ws convert cos cot count count_big cume_dist dateadd datediff datediff_big datefromparts datename datepart
  datetimefromparts datetrunc day degrees dense_rank eomonth exp first_value floor getdate getutcdate greatest grouping
  iif isdate isjson isnull isnumeric json_query json_value lag last_value lead least left len log log10 lower ltrim max
  min month nchar ntile nullif patindex percent_rank percentile_cont percentile_disc pi power quotename radians rand rank
  replace replicate reverse right round row_number rtrim sign sin space sqrt square stdev stdevp str string_agg stuff
  substring sum sysdatetime sysutcdatetime tan translate trim unicode upper var varp year`;

const TYPES = `BIGINT BIT CHAR DATE DATETIME DATETIME2 DATETIMEOFFSET DECIMAL FLOAT INT INTEGER MONEY NCHAR NUMERIC
  NVARCHAR REAL SMALLINT SMALLMONEY TIME TINYINT UNIQUEIDENTIFIER VARCHAR`;

const OPERATORS = '+ - * / % = <> != < > <= >= & | ^';

export const MSSQL: Syntax = {
  mysqlComments: false,
  backslashes: false,
  textQuotes: "'",
  nameQuotes: { '"': '"', '[': ']' },
  signs: [...words(`${OPERATORS} ~ ; , . ( )`)].sort((a, b) => b.length - a.length),
  operators: words(`${OPERATORS} TOP`),
  fold: (name) => name,
  sameName: (a, b) => a.toLowerCase() === b.toLowerCase(),
  writeName: (name) => `[${name.replaceAll(']', ']]')}]`,
  writeText: (text) => `N'${text.replaceAll("'", "''")}'`,
  writeFunction: (name) => name.toUpperCase(),
  functions: words(FUNCTIONS),
  tableFunctions: new Set(),
  lengthArguments: new Map([
    ['replicate', 1],
    ['space', 0],
  ]),
  unitFirst: words('dateadd datediff datediff_big datename datepart datetrunc'),
  bare: words('CURRENT_TIMESTAMP'),
  types: words(TYPES),
  catalogs: /(^|\.)(sys|information_schema)\.|^(master|msdb|tempdb|model)\.|^sys[a-z]+$/i,
  knownColumnsOnly: false,
};
