/** The threads of turns that are deleted with their turn. */
import { askState } from '../../support/stored-state.ts';

export async function temporaryThreads(folder: string): Promise<number> {
  const rows = await askState<{ n: number }>(folder, 'SELECT count(*) AS n FROM threads WHERE temporary = 1');
  return Number(rows[0]?.n ?? 0);
}
