/** Shown beside an empty conversation. The graph of its workflow is only loaded on request. */
import { Icon } from '../parts/icon.tsx';

interface GraphPlaceholderProps {
  workflow: string | undefined;
  show(): void;
  close(): void;
}

export function GraphPlaceholder({ workflow, show, close }: GraphPlaceholderProps) {
  return (
    <aside className="inspector" aria-label="Run details">
      <header className="inspector-head">
        <h2 className="grow">Graph</h2>
        <button type="button" className="button small icon quiet" aria-label="Close" onClick={close}>
          <Icon name="close" size={14} />
        </button>
      </header>
      <div className="empty">
        <p className="small">Send a message to see the nodes as they run.</p>
        <button type="button" className="button" disabled={workflow === undefined} onClick={show}>
          <Icon name="workflow" size={14} />
          Show graph
        </button>
      </div>
    </aside>
  );
}
