/** Analytic statements like those of a model: they must run and return this number of rows. */

export const ORDINARY_FOR_ALL: [sql: string, rows: number][] = [
  ['SELECT * FROM stores', 3],
  ['select s.*, x.amount from stores as s left join sales x on x.store_id = s.id order by s.id, x.id', 5],
  [
    'SELECT city, COUNT(*) AS n FROM stores GROUP BY city HAVING COUNT(*) >= 1 ORDER BY n DESC, city LIMIT 2',
    2,
  ],
  ['SELECT DISTINCT store_id FROM sales', 2],
  [
    'SELECT COUNT(DISTINCT store_id) AS stores, SUM(amount), AVG(amount), MIN(sold_at), MAX(sold_at) FROM sales',
    1,
  ],
  ["SELECT city FROM stores WHERE city LIKE 'B%' OR city NOT IN ('Munich', 'Berlin')", 2],
  ["SELECT city FROM stores WHERE opened BETWEEN '2019-01-01' AND '2020-12-31' AND NOT (city IS NULL)", 2],
  [
    'WITH top AS (SELECT store_id, SUM(amount) AS total FROM sales GROUP BY store_id) SELECT city, total FROM top t JOIN stores s ON s.id = t.store_id',
    2,
  ],
  ['SELECT city, (SELECT COUNT(*) FROM sales x WHERE x.store_id = s.id) AS n FROM stores s', 3],
  ['SELECT city FROM stores s WHERE EXISTS (SELECT 1 FROM sales WHERE store_id = s.id)', 2],
  [
    "SELECT CASE WHEN amount > 200 THEN 'high' WHEN amount > 99 THEN 'mid' ELSE 'low' END AS kind, COUNT(*) FROM sales GROUP BY 1",
    2,
  ],
  ['SELECT id, ROW_NUMBER() OVER (PARTITION BY store_id ORDER BY amount DESC) AS rank FROM sales', 4],
  [
    'SELECT id, SUM(amount) OVER (ORDER BY sold_at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS running FROM sales',
    4,
  ],
  ['SELECT city FROM stores UNION ALL SELECT note FROM sales ORDER BY 1', 7],
  ['(SELECT id FROM stores) UNION (SELECT id FROM sales) ORDER BY id LIMIT 3', 3],
  ["SELECT COALESCE(note, 'none') AS note, NULLIF(amount, 0), ROUND(amount, 1), ABS(-amount) FROM sales", 4],
  ['SELECT EXTRACT(YEAR FROM sold_at) AS year, COUNT(*) FROM sales GROUP BY EXTRACT(YEAR FROM sold_at)', 2],
  [
    'SELECT CAST(amount AS DECIMAL(10,1)) AS a, amount * 1.19 - 2, -amount, id % 2 FROM sales WHERE id < 4;',
    3,
  ],
  [
    "SELECT UPPER(city), LOWER(city), LENGTH(city), TRIM(BOTH ' ' FROM city), SUBSTRING(city, 1, 3), REPLACE(city, 'e', '3') FROM stores",
    3,
  ],
  ['SELECT a.id, b.id FROM stores a CROSS JOIN stores b WHERE a.id <> b.id', 6],
  ['SELECT * FROM city_sales WHERE total > 100', 2],
  [
    'SELECT * FROM (SELECT store_id, MAX(amount) AS best FROM sales GROUP BY store_id) AS q WHERE q.best > 300',
    1,
  ],
  ["SELECT 'it''s -- no comment' AS a, '; DROP TABLE sales' AS b -- a comment\n/* another */", 1],
  ['SELECT city FROM stores WHERE id IN (SELECT store_id FROM sales) AND id >= ALL (SELECT 1)', 2],
  ['SELECT CURRENT_DATE, CURRENT_TIMESTAMP', 1],
  [
    'SELECT s.city, x.amount FROM stores s INNER JOIN sales x ON s.id = x.store_id AND x.amount > 100 ORDER BY x.amount DESC LIMIT 10 OFFSET 1',
    2,
  ],
];

export const ORDINARY_POSTGRES: [sql: string, rows: number][] = [
  [
    "SELECT date_trunc('month', sold_at)::date AS month, sum(amount) FILTER (WHERE amount > 100) FROM sales GROUP BY 1 ORDER BY 1",
    4,
  ],
  [
    "SELECT to_char(sold_at, 'YYYY-MM') AS month, string_agg(note, ', ' ORDER BY note) FROM sales GROUP BY 1",
    4,
  ],
  ["SELECT city FROM stores WHERE city ILIKE '%BER%' OR city ~* '^mun'", 2],
  ["SELECT m::date FROM generate_series('2024-01-01'::date, '2024-03-01', interval '1 month') AS m", 3],
  ['SELECT DISTINCT ON (store_id) store_id, amount FROM sales ORDER BY store_id, amount DESC NULLS LAST', 2],
  ["SELECT sold_at AT TIME ZONE 'UTC', age(sold_at), sold_at + INTERVAL '1 day' FROM sales", 4],
  ['SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount) AS median FROM sales', 1],
  [
    'SELECT s.city, x.amount FROM stores s, LATERAL (SELECT amount FROM sales WHERE store_id = s.id ORDER BY amount DESC LIMIT 1) x',
    2,
  ],
  ['SELECT store_id, count(*) FROM sales GROUP BY GROUPING SETS ((store_id), ())', 3],
  ['SELECT array_agg(id ORDER BY id) AS ids, ARRAY[1, 2, 3] FROM sales', 1],
  [
    "SELECT position('e' in city), substring(city from 1 for 2), overlay(city placing 'x' from 1 for 1) FROM stores",
    3,
  ],
  ['SELECT "from", "Größe" FROM "Odd ""Name"', 1],
  ['SELECT * FROM public.stores FETCH FIRST 2 ROWS ONLY', 2],
  ["SELECT jsonb_build_object('a', 1) ->> 'a', '{\"b\": 2}'::jsonb -> 'b' AS b", 1],
  ['SELECT id, lag(amount) OVER w FROM sales WINDOW w AS (ORDER BY id)', 4],
  ['SELECT * FROM (VALUES (1, 2), (3, 4)) AS v(a, b) WHERE v.a > 1', 1],
  ["SELECT count(*) FROM sales WHERE sold_at >= DATE '2024-01-01' AND sold_at < now()", 1],
];

export const ORDINARY_MYSQL: [sql: string, rows: number][] = [
  ["SELECT DATE_FORMAT(sold_at, '%Y-%m') AS month, SUM(amount) FROM sales GROUP BY month ORDER BY month", 4],
  ["SELECT GROUP_CONCAT(DISTINCT city ORDER BY city DESC SEPARATOR '; ') FROM stores", 1],
  ['SELECT YEAR(sold_at), MONTH(sold_at), COUNT(*) FROM sales GROUP BY YEAR(sold_at), MONTH(sold_at)', 4],
  ['SELECT IF(amount > 100, "high", "low") AS kind, IFNULL(note, "none") FROM sales', 4],
  [
    'SELECT TIMESTAMPDIFF(MONTH, opened, CURRENT_DATE), DATEDIFF(NOW(), opened), opened + INTERVAL 1 DAY FROM stores',
    3,
  ],
  [
    'SELECT DATE_ADD(opened, INTERVAL 3 MONTH), DATE_SUB(opened, INTERVAL 1 YEAR), LAST_DAY(opened) FROM stores',
    3,
  ],
  ["SELECT city FROM stores WHERE city REGEXP '^(Ber|Mun)' # a comment", 2],
  ['SELECT store_id, SUM(amount) FROM sales GROUP BY store_id WITH ROLLUP', 3],
  ['SELECT `from`, `Größe` FROM `Odd "Name`', 1],
  ['SELECT * FROM shop.stores LIMIT 1, 5', 2],
  ['SELECT COUNT(*), id DIV 2 AS half, id MOD 2, 5 <=> NULL FROM sales GROUP BY id', 4],
  [
    "SELECT JSON_EXTRACT('{\"a\": 1}', '$.a'), CONVERT(amount, SIGNED), LEFT(note, 2), RIGHT(note, 2) FROM sales",
    4,
  ],
  ["SELECT city FROM stores WHERE city LIKE '%\\'%' OR city LIKE \"Ber\\_in\"", 1],
];
