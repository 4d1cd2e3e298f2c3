/** For operators: whose threads and runs a list shows. */
import { type FormEvent, useId } from 'react';
import { EVERYBODY, useOwner } from '../owner.ts';
import { useResource } from '../resources.ts';
import { api, ask } from '../service.ts';
import { useSession } from '../session.ts';

/** `choose` is given undefined for one's own. */
export function OwnerFilter({ choose }: { choose(owner: string | undefined): void }) {
  const { open } = useSession();
  const { data } = useResource(open ? 'session' : undefined, () => ask(api.auth.verify.get()));
  const { owner } = useOwner();
  const id = useId();
  if (!data?.operator) return null;
  const isAll = owner === EVERYBODY;

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    choose(String(new FormData(event.currentTarget).get('owner') ?? '').trim() || undefined);
  }
  return (
    <form className="row" onSubmit={submit}>
      <input
        key={owner}
        className="field grow"
        name="owner"
        aria-label="Caller"
        placeholder="Caller, as in user:ann"
        defaultValue={isAll ? '' : owner}
        disabled={isAll}
        maxLength={300}
      />
      <input id={id} type="checkbox" checked={isAll} onChange={() => choose(isAll ? undefined : EVERYBODY)} />
      <label htmlFor={id}>All callers</label>
    </form>
  );
}
