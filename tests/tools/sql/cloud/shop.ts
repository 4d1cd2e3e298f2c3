/** A small shop in both dialects, including tables that statements must not read. */

const ROWS = `
  INSERT INTO stores VALUES (1, 'Berlin', '2019-03-01'), (2, 'Munich', '2020-05-17'), (3, 'O''Hara; DROP TABLE stores', '2021-01-01');
  INSERT INTO sales VALUES (1, 1, 100.10, '2023-01-05 10:00:00', NULL), (2, 1, 250.25, '2023-02-05 11:30:00', 'gift'),
    (3, 2, 99.99, '2024-01-09 09:15:00', NULL), (4, 2, 12345678901234567.89, '2024-03-01 00:00:00', 'large');
  CREATE VIEW city_sales AS SELECT s.city, sum(x.amount) AS total FROM stores s JOIN sales x ON x.store_id = s.id GROUP BY s.city;`;

export const POSTGRES_SHOP = `
  CREATE TABLE stores (id int PRIMARY KEY, city text NOT NULL, opened date);
  CREATE TABLE sales (id int PRIMARY KEY, store_id int REFERENCES stores, amount numeric(20,2), sold_at timestamp, note text);
  CREATE TABLE "Odd ""Name" ("from" int, "Größe" text);
  INSERT INTO "Odd ""Name" VALUES (1, 'groß');
  CREATE SEQUENCE counter;
  CREATE FUNCTION lower(x int) RETURNS int LANGUAGE sql AS 'INSERT INTO stores VALUES (99, ''shadow'', NULL) RETURNING 1';
  CREATE FUNCTION wipe() RETURNS int LANGUAGE sql AS 'DELETE FROM sales RETURNING 1';
  CREATE FUNCTION wiped(stores) RETURNS int LANGUAGE sql AS 'DELETE FROM sales RETURNING 1';
  ${ROWS}`;

export const MARIADB_SHOP = `
  CREATE TABLE stores (id int PRIMARY KEY, city varchar(100) NOT NULL, opened date);
  CREATE TABLE sales (id int PRIMARY KEY, store_id int REFERENCES stores (id), amount decimal(20,2), sold_at datetime, note text);
  CREATE TABLE \`Odd "Name\` (\`from\` int, \`Größe\` varchar(20));
  INSERT INTO \`Odd "Name\` VALUES (1, 'groß');
  CREATE FUNCTION wipe() RETURNS int MODIFIES SQL DATA RETURN 1;
  ${ROWS}`;
