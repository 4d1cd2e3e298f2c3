/** Why the knowledge base cannot be used or listed, and what whoever runs the service can do. */
import { SkeinApiError } from '../../client/api-error.ts';
import { ErrorNote } from '../parts/states.tsx';
import { invalidate } from '../resources.ts';

export function KnowledgeTrouble({ error }: { error: Error }) {
  const known = error instanceof SkeinApiError ? error : undefined;
  const again = () => {
    invalidate('documents');
    invalidate('knowledge-search');
  };
  return (
    <div className="stack">
      <ErrorNote error={error} retry={again} />
      {known?.code === 'CONFIGURATION_ERROR' && (
        <div className="note">
          <p>
            With <code>knowledge_base.mode: cloud</code> documents are listed, added and removed where the
            index is kept; the search above works here as well, once <code>cloud_search.endpoint</code>,{' '}
            <code>index_name</code> and <code>api_key</code> are set. For documents in a folder of this
            machine set <code>knowledge_base.mode: local</code> in <code>config.yml</code>, and start the
            service again.
          </p>
        </div>
      )}
      {known?.code === 'DATABASE_CONNECTION_FAILED' && (
        <div className="note">
          <p>
            The index does not answer. Look at <code>cloud_search.endpoint</code> and{' '}
            <code>cloud_search.api_key</code>, or try again in a moment.
          </p>
        </div>
      )}
      {known?.code === 'MODEL_CALL_FAILED' && (
        <div className="note">
          <p>
            The embedding model does not answer: the model with <code>role: embedding</code> in{' '}
            <code>config.yml</code>. Without one the built-in embedder is used.
          </p>
        </div>
      )}
    </div>
  );
}
