/** What was used under budgets, by the process that counted it: a copy of a state on PostgreSQL has several. */
export const BUDGET_TABLES = `
  CREATE TABLE budget_shares (
    scope TEXT NOT NULL, process TEXT NOT NULL, ends_at INTEGER NOT NULL,
    spent_tokens INTEGER NOT NULL, spent_cost REAL NOT NULL,
    PRIMARY KEY (scope, process)
  ) WITHOUT ROWID;
`;
