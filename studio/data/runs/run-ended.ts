/** Whether a run has ended, and whether it is one of several runs of a turn. */
import type { RunBody } from '../../../server/runs/shape.ts';

export const isOver = ({ status }: Pick<RunBody, 'status'>) => status !== 'queued' && status !== 'running';

/** Whether other runs may belong to the same turn. */
export const isPartOfTurn = ({ resumes, status }: RunBody) =>
  resumes !== undefined || status === 'interrupted';
