/** A failed statement and its error, as text for a prompt. */
import { dataBlock } from '../text/block.ts';
import { untrustedJson } from '../text/untrusted-json.ts';

const LONGEST_SQL = 4_000;
const LONGEST_REASON = 700;

/**
 * A block with two lines of JSON, because the reason may quote a cell or a name, which must not be followed as an instruction.
 */
export function refusalText({ sql, reason }: { sql: string; reason: string }): string {
  return dataBlock('refused_statement', [
    `sql ${untrustedJson(sql, LONGEST_SQL)}`,
    `reason ${untrustedJson(reason, LONGEST_REASON)}`,
  ]);
}
