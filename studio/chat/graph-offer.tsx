/** Beside an empty conversation: the graph of its workflow, loaded where somebody wants it before anything runs. */
import { Icon } from '../parts/icon.tsx';

interface GraphOfferProps {
  workflow: string | undefined;
  show(): void;
  close(): void;
}

export function GraphOffer({ workflow, show, close }: GraphOfferProps) {
  return (
    <aside className="inspector" aria-label="What the run did">
      <header className="inspector-head">
        <h2 className="grow">Graph</h2>
        <button type="button" className="button small icon quiet" aria-label="Close" onClick={close}>
          <Icon name="close" size={14} />
        </button>
      </header>
      <div className="empty">
        <p className="small">Send a message, and the nodes light up as they work.</p>
        <button type="button" className="button" disabled={workflow === undefined} onClick={show}>
          <Icon name="workflow" size={14} />
          Show the graph
        </button>
      </div>
    </aside>
  );
}
