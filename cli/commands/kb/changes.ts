/** `skein kb remove` and `reindex`. */
import { failed, printable } from '../../terminal/plain-errors.ts';
import { print } from '../../terminal/print.ts';
import type { Base, KnowledgeArguments } from './open.ts';
import { statusOf } from './show.ts';

export async function removeDocuments({ own, folder }: Base, { words }: KnowledgeArguments): Promise<number> {
  let code = 0;
  for (const name of words) {
    const removed = await (own ?? folder).remove(name);
    if (removed) print(printable(`${name} is removed`));
    else code = failed(`${name}: document does not exist`);
  }
  return code;
}

export async function reindex(base: Base, given: KnowledgeArguments): Promise<number> {
  if (base.begin) {
    await base.begin();
    print(`The index in ${base.indexPath} is removed; a running service rebuilds it.`);
    return 0;
  }
  if (!base.own)
    return failed(
      `A running service has this index open. Stop it first, or delete ${base.indexPath}: the service then rebuilds it.`,
    );
  await base.own.rebuild();
  return statusOf(base, given);
}
