/** Schedulers of several servers on one database: each time starts once. */
import { expect, test } from 'bun:test';
import pino from 'pino';
import { cronScheduler } from '../../../../server/langgraph/crons/scheduler.ts';
import { SkeinError } from '../../../../state/errors.ts';
import { crons } from '../../../../state/postgres/crons/crons.ts';
import { newCron } from '../../../contracts/crons.ts';
import { postgresServers } from '../../../support/open-drivers.ts';
import { POSTGRES } from '../../../support/postgres-database.ts';

const at = (time: string) => Date.parse(`2027-03-27T${time}Z`);

test.skipIf(POSTGRES === undefined)(
  "each due cron is started by one server, also if another server's queue was full",
  async () => {
    const { open, drop } = await postgresServers();
    const stores = [open(), open(), open()].map((one) => crons(one, () => 'server'));
    const started: string[] = [];
    let now = at('12:00:30');
    let refuse: SkeinError | undefined;
    const servers = stores.map((store) =>
      cronScheduler({
        crons: store,
        async start({ cronId }) {
          if (refuse) throw refuse;
          started.push(cronId);
          const runId = Bun.randomUUIDv7();
          return { runId, threadId: runId, isTemporary: false, ended: Promise.resolve() };
        },
        removeThread: async () => true,
        log: pino({ level: 'silent' }),
        now: () => now,
      }),
    );
    const runAll = () => Promise.all(servers.map((one) => one.runDue()));
    const ids = Array.from({ length: 25 }, (_, index) => `many-${index}`);
    for (const id of ids)
      await stores[0]?.create({ ...newCron(id), schedule: '*/5 * * * *', nextAt: at('12:00:00') });
    refuse = new SkeinError('OVERLOADED');
    await servers[0]?.runDue();
    refuse = undefined;
    await runAll();
    expect(started.toSorted()).toEqual(ids.toSorted());
    now = at('12:05:00');
    await runAll();
    expect(started.toSorted()).toEqual([...ids, ...ids].toSorted());
    await drop();
  },
);
