/** A run of LangGraph's protocol, killed around each of its transactions: its client gets each event once, and the run succeeds. */
import { expect, test } from 'bun:test';
import { at } from './every-commit.ts';
import type { ProtocolLane, ReceivedChunk } from './protocol-lane.ts';
import { expectOnce, expectWhole, newThread, protocolLanes, valuesOf } from './protocol-promises.ts';
import { RELAY } from './relay-graph.ts';

const lanes = protocolLanes('apart');

/** Finished nodes are not called again, and the interrupted one is called at most twice. */
function expectCallsOnce(lane: ProtocolLane, since: number): void {
  const counts = RELAY.map((node) => lane.calls(since).filter((one) => one === node).length);
  const total = counts.reduce((sum, count) => sum + count, 0);
  expect(Math.min(...counts)).toBe(1);
  expect(total).toBeLessThanOrEqual(RELAY.length + 1);
}

test('each event of a run is streamed once, and no finished node runs again', async () => {
  const [first] = lanes.all();
  const undisturbedThread = await newThread(first);
  expectOnce(await first.streamed(undisturbedThread, 'first'));
  const undisturbed = await valuesOf(first, undisturbedThread);
  const points = await lanes.commits(async (lane, kill) => {
    const thread = await newThread(lane);
    const since = lane.provider.requests.length;
    let received: ReceivedChunk[] = [];
    const killed = await lane.killedDuring(kill, async () => {
      received = await lane.streamed(thread, 'first');
    });
    return at(
      () => ({ kill, heard: received.length }),
      async () => {
        if ((await lane.client.runs.list(thread)).length === 0) {
          expect(kill).toMatchObject({ moment: 'before', kind: 'accept' });
          received = await lane.streamed(thread, 'first');
        }
        await expectWhole(lane, thread, received);
        expect(await valuesOf(lane, thread)).toEqual(undisturbed);
        expectCallsOnce(lane, since);
        return { killed };
      },
    );
  });
  for (const moment of ['before', 'after']) {
    expect(points).toContain(`${moment} accept`);
    expect(points).toContain(`${moment} end`);
    expect(points.filter((point) => point === `${moment} other`).length).toBeGreaterThan(20);
  }
}, 900_000);
