/** The usage of budgets by the process that counted it. A state copied from PostgreSQL has several processes. */
export const BUDGET_TABLES = `
  CREATE TABLE budget_shares (
    scope TEXT NOT NULL, process TEXT NOT NULL, ends_at INTEGER NOT NULL,
    spent_tokens INTEGER NOT NULL, spent_cost REAL NOT NULL,
    PRIMARY KEY (scope, process)
  ) WITHOUT ROWID;
`;
