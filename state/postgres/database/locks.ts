/** The numbers of advisory locks, one for each kind of work that only one process may do at a time. */
export const LOCKS = {
  migration: 7_211_346_551,
  leftovers: 7_211_346_552,
  oldEvents: 7_211_346_553,
  /** The first of two numbers; the second one is the hash of the scope. */
  budgets: 721_134,
};
