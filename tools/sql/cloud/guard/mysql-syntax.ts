/** The dialect of MySQL and MariaDB for the guard. Functions that are not listed are rejected. */
import { type Syntax, words } from './syntax.ts';

const FUNCTIONS = `abs acos adddate addtime any_value ascii asin atan atan2 avg bin bit_and bit_count bit_length bit_or
  bit_xor ceil ceiling char char_length character_length coalesce concat concat_ws conv convert convert_tz cos cot count
  crc32 cume_dist curdate current_date current_time current_timestamp curtime date date_add date_format date_sub datediff
  day dayname dayofmonth dayofweek dayofyear degrees dense_rank elt exp field find_in_set first_value floor format
  from_days from_unixtime greatest group_concat grouping hex hour if ifnull instr isnull json_array json_arrayagg
  json_contains json_contains_path json_depth json_extract json_keys json_length json_object json_objectagg json_quote
  json_type json_unquote json_valid json_value lag last_day last_value lcase lead least left length ln localtime
  localtimestamp locate log log10 log2 lower lpad ltrim makedate maketime max md5 median microsecond mid min minute mod
  month monthname now nth_value ntile nullif octet_length ord percent_rank percentile_cont percentile_disc period_add
  period_diff pi position pow power quarter quote radians rand rank regexp_instr regexp_like regexp_replace regexp_substr
  repeat replace reverse right round row_number rpad rtrim sec_to_time second sha1 sha2 sign sin soundex space sqrt std
  stddev stddev_pop stddev_samp str_to_date strcmp subdate substr substring substring_index subtime sum tan time
  time_format time_to_sec timediff timestamp timestampadd timestampdiff to_days to_seconds trim truncate ucase unhex
  unix_timestamp upper utc_date utc_time utc_timestamp var_pop var_samp variance week weekday weekofyear year yearweek`;

const TYPES =
  'CHAR DATE DATETIME DECIMAL DOUBLE FLOAT INT INTEGER JSON REAL SIGNED TIME UNSIGNED VARCHAR YEAR';

const OPERATORS = '+ - * / % ^ = <=> <> != < > <= >= || && & | << >> -> ->>';

export const MYSQL: Syntax = {
  mysqlComments: true,
  backslashes: true,
  textQuotes: `'"`,
  nameQuotes: { '`': '`' },
  signs: [...words(`${OPERATORS} ~ ; , . ( )`)].sort((a, b) => b.length - a.length),
  operators: words(`${OPERATORS} DIV MOD XOR`),
  fold: (name) => name,
  // Whether table names are case-sensitive depends on the file system, so they are written as in the catalog.
  sameName: (a, b) => a.toLowerCase() === b.toLowerCase(),
  writeName: (name) => `\`${name.replaceAll('`', '``')}\``,
  writeText: (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`,
  writeFunction: (name) => name.toUpperCase(),
  functions: words(FUNCTIONS),
  tableFunctions: new Set(),
  lengthArguments: new Map([
    ['repeat', 1],
    ['lpad', 1],
    ['rpad', 1],
    ['space', 0],
    ['format', 1],
  ]),
  unitFirst: words('timestampadd timestampdiff'),
  bare: words('CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP LOCALTIME LOCALTIMESTAMP UTC_DATE UTC_TIMESTAMP'),
  types: words(TYPES),
  catalogs: /^(mysql|information_schema|performance_schema|sys)\./i,
  knownColumnsOnly: false,
};
