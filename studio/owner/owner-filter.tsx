/** A filter for operators that selects whose threads and runs a list shows. */
import { type FormEvent, useId } from 'react';
import { ALL_CALLERS, useOwner } from '../routing/owner.ts';
import { useResource } from '../service/resources.ts';
import { api, ask } from '../service/service.ts';
import { useSession } from '../session/session.ts';

/** `choose` gets undefined for your own data. */
export function OwnerFilter({ choose }: { choose(owner: string | undefined): void }) {
  const { open } = useSession();
  const { data } = useResource(open ? 'session' : undefined, () => ask(api.auth.verify.get()));
  const { owner } = useOwner();
  const id = useId();
  if (!data?.operator) return null;
  const isAll = owner === ALL_CALLERS;

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
        placeholder="Caller, e.g. user:ann"
        defaultValue={isAll ? '' : owner}
        disabled={isAll}
        maxLength={300}
      />
      <input
        id={id}
        type="checkbox"
        checked={isAll}
        onChange={() => choose(isAll ? undefined : ALL_CALLERS)}
      />
      <label htmlFor={id}>All callers</label>
    </form>
  );
}
