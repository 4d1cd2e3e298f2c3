/**
 * PostgreSQL's dialect for the guard. Functions that are not listed are rejected, such as those for files, settings, sleeping,
 * catalogs and SQL text.
 */
import { type Syntax, words } from './syntax.ts';

const FUNCTIONS = `abs acos age array_agg array_append array_cat array_length array_lower array_position array_prepend
  array_remove array_replace array_to_json array_to_string array_upper ascii asin atan atan2 avg bit_and bit_length bit_or
  bool_and bool_or btrim cardinality cbrt ceil ceiling char_length character_length chr clock_timestamp coalesce concat
  concat_ws corr cos cot count covar_pop covar_samp cume_dist date_bin date_part date_trunc degrees dense_rank div every
  exp extract factorial first_value floor gcd greatest grouping initcap isfinite json_agg json_array_length
  json_build_array json_build_object json_extract_path json_extract_path_text json_object_agg json_typeof jsonb_agg
  jsonb_array_length jsonb_build_array jsonb_build_object jsonb_extract_path jsonb_extract_path_text jsonb_object_agg
  jsonb_typeof justify_days justify_hours justify_interval lag last_value lcm lead least left length ln log log10 lower
  lpad ltrim make_date make_interval make_time make_timestamp make_timestamptz max md5 min mod mode now nth_value ntile
  nullif num_nonnulls num_nulls octet_length overlay percent_rank percentile_cont percentile_disc pi position power
  radians random rank regexp_count regexp_instr regexp_like regexp_match regexp_replace regexp_split_to_array
  regexp_substr regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy repeat
  replace reverse right round row_number row_to_json rpad rtrim scale sign sin split_part sqrt starts_with stddev
  stddev_pop stddev_samp string_agg string_to_array strpos substr substring sum tan timezone to_char to_date to_json
  to_jsonb to_number to_timestamp translate trim trim_scale trunc unnest upper var_pop var_samp variance width_bucket`;

const TABLE_FUNCTIONS = `generate_series unnest json_array_elements json_array_elements_text json_each json_each_text
  jsonb_array_elements jsonb_array_elements_text jsonb_each jsonb_each_text regexp_split_to_table string_to_table`;

// These functions have their own grammar, which doesn't allow a schema.
const SPECIAL = words('coalesce extract greatest grouping least nullif overlay position substring trim');

const TYPES = `BIGINT BOOL BOOLEAN BYTEA CHAR CHARACTER DATE DECIMAL DOUBLE FLOAT FLOAT4 FLOAT8 INT INT2 INT4 INT8 INTEGER
  INTERVAL JSON JSONB NUMERIC REAL SMALLINT TEXT TIME TIMESTAMP TIMESTAMPTZ TIMETZ UUID VARCHAR`;

const OPERATORS = '+ - * / % ^ = <> != < > <= >= || ~ ~* !~ !~* & | # << >> -> ->> #> #>> @> <@ && :: [';

export const POSTGRES: Syntax = {
  mysqlComments: false,
  backslashes: false,
  textQuotes: "'",
  nameQuotes: { '"': '"' },
  signs: [...words(`${OPERATORS} ] : ; , . ( )`)].sort((a, b) => b.length - a.length),
  operators: words(`${OPERATORS} OVERLAPS`),
  fold: (name) => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  sameName: (a, b) => a === b,
  writeName: (name) => `"${name.replaceAll('"', '""')}"`,
  writeText: (text) => `'${text.replaceAll("'", "''")}'`,
  // Qualified, so that functions of the same name in other schemas are not called.
  writeFunction: (name) => (SPECIAL.has(name) ? name.toUpperCase() : `pg_catalog.${name}`),
  functions: words(FUNCTIONS),
  tableFunctions: words(TABLE_FUNCTIONS),
  lengthArguments: new Map([
    ['repeat', 1],
    ['lpad', 1],
    ['rpad', 1],
  ]),
  unitFirst: new Set(),
  bare: words('CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP LOCALTIME LOCALTIMESTAMP'),
  types: words(TYPES),
  catalogs: /(^|\.)(pg_[a-z_]*|information_schema)(\.|$)|^pg_/i,
  knownColumnsOnly: true,
};
