/** An error of the knowledge base, with advice for the person who runs the service. */
import { SkeinApiError } from '../../client/api-error.ts';
import { ErrorNote } from '../parts/states.tsx';
import { invalidate } from '../service/resources.ts';

export function KnowledgeError({ error }: { error: Error }) {
  const known = error instanceof SkeinApiError ? error : undefined;
  const retry = () => {
    invalidate('documents');
    invalidate('knowledge-search');
  };
  return (
    <div className="stack">
      <ErrorNote error={error} retry={retry} />
      {known?.code === 'CONFIGURATION_ERROR' && (
        <div className="note">
          <p>
            With <code>knowledge_base.mode: cloud</code>, you manage documents in the search service. To
            search them here, set <code>cloud_search.endpoint</code>, <code>index_name</code> and{' '}
            <code>api_key</code>. For documents in a local folder, set <code>knowledge_base.mode: local</code>{' '}
            in <code>config.yml</code> and restart the service.
          </p>
        </div>
      )}
      {known?.code === 'DATABASE_CONNECTION_FAILED' && (
        <div className="note">
          <p>
            Can't reach the search index. Check <code>cloud_search.endpoint</code> and{' '}
            <code>cloud_search.api_key</code>, or retry in a moment.
          </p>
        </div>
      )}
      {known?.code === 'MODEL_CALL_FAILED' && (
        <div className="note">
          <p>
            Can't reach the embedding model. Check the model with <code>role: embedding</code> in{' '}
            <code>config.yml</code>. Without one, the built-in embedder is used.
          </p>
        </div>
      )}
    </div>
  );
}
