/** What a run's status says of its end. */
import type { RunBody } from '../../server/runs/shape.ts';

export const isOver = ({ status }: Pick<RunBody, 'status'>) => status !== 'queued' && status !== 'running';

/** Whether other runs may be of the same turn. */
export const isPart = ({ resumes, status }: RunBody) => resumes !== undefined || status === 'interrupted';
