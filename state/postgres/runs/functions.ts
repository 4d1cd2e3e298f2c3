/** Placeholder until the functions are there. */
export const COORDINATION_FUNCTIONS = 'SELECT 1';
