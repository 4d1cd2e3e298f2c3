/** The runs of a turn, as the service has them. */
import { type Run, readRun } from './runs.ts';
import { listThreadRuns } from './threads.ts';

const MOST_PARTS = 50;

/** The runs of its turn, oldest first; of those that go on with it, the ones among the newest of the thread. */
export async function readTurn(run: Run): Promise<Run[]> {
  const parts = [run];
  while (parts[0]?.resumes !== undefined && parts.length < MOST_PARTS)
    parts.unshift(await readRun(parts[0].resumes));
  if (run.status !== 'interrupted') return parts;
  const { runs } = await listThreadRuns(run.thread_id);
  const after = (id: string | undefined) => runs.find(({ resumes }) => resumes === id && id !== undefined);
  for (let next = after(run.run_id); next && parts.length < MOST_PARTS; next = after(next.run_id))
    parts.push(next);
  return parts;
}
