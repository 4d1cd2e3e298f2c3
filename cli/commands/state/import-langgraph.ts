/** `skein state import-langgraph`: imports the threads of LangGraph's PostgresSaver. */
import { parseFlags } from '../../../settings/flags.ts';
import { loadSettings } from '../../../settings/load.ts';
import { configurationError } from '../../../state/errors.ts';
import { importThreads } from '../../../state/transfer/langgraph/import.ts';
import { checkedUrl } from '../../../state/transfer/open-store.ts';
import { openForBulkRead } from '../../../state/transfer/postgres-store.ts';
import { openState, stateLabel } from '../../service/drivers/open-state.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { failed, printable } from '../../terminal/plain-errors.ts';
import { print } from '../../terminal/print.ts';
import { checkedThreadId } from '../threads/query.ts';

const USAGE = 'skein state import-langgraph --from URL --workflow NAME [--owner NAME] [--schema NAME]';
const FLAGS = [
  { name: '--from', takes: 'postgres://app@localhost/app' },
  { name: '--workflow', takes: 'my-agent' },
  { name: '--owner', takes: 'ann' },
  { name: '--schema', takes: 'public' },
];

/** Returns the exit code: 1 if a thread could not be imported. Throws CONFIGURATION_ERROR. */
export async function importCommand(argv: string[]): Promise<number> {
  const { own, words, rest } = takeFlags(argv, FLAGS);
  const [from, workflow] = [own.get('--from'), own.get('--workflow')];
  if (!from || !workflow || words.length > 0) throw configurationError('arguments', `expected ${USAGE}`);
  const url = checkedUrl(from, '--from');
  const { settings } = loadSettings({ cwd: process.cwd(), env: process.env, flags: parseFlags(rest) });
  const target = await openState(settings);
  const source = openForBulkRead(url);
  try {
    const counts = await importThreads({
      ...{ source, sourceName: '--from', schema: own.get('--schema') ?? 'public', target, workflow },
      owner: ownerNamed(own.get('--owner')),
      refusal: refusalOf,
      failed: (threadId, reason) => void failed(`${threadId}: ${reason}`),
    });
    const there = counts.skipped > 0 ? `, ${counts.skipped} already existed` : '';
    print(
      `${counts.threads} threads with ${counts.checkpoints} checkpoints are in ${printable(stateLabel(settings))}${there}`,
    );
    return counts.failed > 0 ? failed(`${counts.failed} threads were not imported`) : 0;
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

const ANONYMOUS = 'anonymous';

/** The stored form of the owner; a user's name is enough. */
function ownerNamed(name = ANONYMOUS): string {
  return name === ANONYMOUS || /^(?:user|key):./.test(name) ? name : `user:${name}`;
}

function refusalOf(threadId: string): string | undefined {
  try {
    checkedThreadId(threadId, 'thread_id');
    return undefined;
  } catch {
    return 'not a valid thread id';
  }
}
