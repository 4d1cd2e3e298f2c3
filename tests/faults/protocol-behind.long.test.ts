/** A run of LangGraph's protocol that waits behind another one, while the process is killed around each transaction of both. */
import { expect, test } from 'bun:test';
import { at } from './every-commit.ts';
import { asking, type ReceivedChunk } from './protocol-lane.ts';
import { expectWhole, joined, newThread, protocolLanes, valuesOf } from './protocol-promises.ts';

const lanes = protocolLanes('shared');

test('a queued run starts after the one before it, whenever the process is killed', async () => {
  const [first] = lanes.all();
  const undisturbedThread = await newThread(first);
  for (const question of ['first', 'second'])
    await first.client.runs.wait(undisturbedThread, 'relay', { input: asking(question) });
  const undisturbed = await valuesOf(first, undisturbedThread);
  const points = await lanes.commits(async (lane, kill) => {
    const thread = await newThread(lane);
    const behind = { input: asking('second'), metadata: { behind: true } };
    const follow = () => lane.client.runs.create(thread, 'relay', behind).catch(() => {});
    let received: ReceivedChunk[] = [];
    const killed = await lane.killedDuring(kill, async () => {
      let following: Promise<unknown> | undefined;
      received = await lane.streamed(thread, 'first', () => {
        following ??= follow();
      });
      await following;
      // It fails if the service is down, which is checked below.
      await joined(lane, thread).catch(() => {});
    });
    return at(
      () => ({ kill, heard: received.length }),
      async () => {
        const known = await lane.client.runs.list(thread);
        if (known.length === 0) received = await lane.streamed(thread, 'first');
        if (!known.some(({ metadata }) => metadata && 'behind' in metadata)) await follow();
        await expectWhole(lane, thread, received);
        expect(await valuesOf(lane, thread)).toEqual(undisturbed);
        return { killed };
      },
    );
  });
  for (const moment of ['before', 'after']) expect(points).toContain(`${moment} end`);
}, 900_000);
