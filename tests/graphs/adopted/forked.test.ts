/** Forks of the programs from the end and the middle of a turn: each continues like the thread itself. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { plainThread, stableParts } from './plain.ts';
import { PROGRAMS } from './programs.ts';
import { type ServedProject, serveProject } from './project.ts';
import { chatted, got, posted } from './turns.ts';

let project: ServedProject;
beforeAll(async () => {
  project = await serveProject();
});
afterAll(() => project.close());

interface Checkpoint {
  checkpoint_id: string;
  step: number;
  next: string[];
}

const rows = PROGRAMS.map((program) => [program.name, program] as const);

async function checkpointsOf(threadId: string): Promise<Checkpoint[]> {
  return (await got(project.service, `/threads/${threadId}/checkpoints?limit=100`)).checkpoints;
}

async function forkOf(threadId: string, checkpoint_id?: string): Promise<string> {
  const { status, body } = await posted(project.service, `/threads/${threadId}/fork`, { checkpoint_id });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.thread_id;
}

test.each(rows)('%s continues from a fork as from its thread', async (name, program) => {
  const { service } = project;
  const threadId = `forked-${name}`;
  await chatted(service, program, threadId);
  const end = (await checkpointsOf(threadId)).find(({ next }) => next.length === 0);
  const forks = [await forkOf(threadId), await forkOf(threadId, end?.checkpoint_id)];
  const plain = plainThread(await project.graph(name), program);
  await plain.turn();
  const expected = await plain.turn();
  for (const id of [...forks, threadId])
    expect(stableParts((await chatted(service, program, id)).body.values)).toEqual(expected);
});

test.each(rows)(
  '%s continues from the middle of a turn, in a fork and in its thread',
  async (name, program) => {
    const { service } = project;
    const threadId = `middle-${name}`;
    await chatted(service, program, threadId);
    const checkpoints = await checkpointsOf(threadId);
    const step = Math.min(1, Math.max(...checkpoints.map((one) => one.step)));
    const middle = checkpoints.find((one) => one.step === step)?.checkpoint_id;
    const fork = await forkOf(threadId, middle);
    const plain = plainThread(await project.graph(name), program);
    await plain.turn();
    const expected = await plain.turn(step);
    expect(stableParts((await chatted(service, program, fork)).body.values)).toEqual(expected);
    const within = { ...program, chatBody: { ...program.chatBody, checkpoint_id: middle } };
    expect(stableParts((await chatted(service, within, threadId)).body.values)).toEqual(expected);
  },
);
