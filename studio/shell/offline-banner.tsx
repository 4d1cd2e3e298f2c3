/** Shown while the built-in offline model is in use, so that its answers aren't taken for a language model's. */
import { useState } from 'react';
import { readWorkflows } from '../data/workflows.ts';
import { useResource } from '../service/resources.ts';

export function OfflineBanner() {
  const [hidden, setHidden] = useState(false);
  const { data } = useResource('workflows', readWorkflows);
  const offline = data?.workflows.some(({ external_services: [model = ''] }) => /offline model/.test(model));
  if (!offline || hidden) return null;
  return (
    <div className="banner">
      <span className="grow">
        You're using the built-in offline model, which follows rules and isn't a language model.{' '}
        <span className="advice">
          Set <code>LLM_PROVIDER_API_KEY</code> to connect one.
        </span>
      </span>
      <button type="button" className="button small quiet" onClick={() => setHidden(true)}>
        Dismiss
      </button>
    </div>
  );
}
