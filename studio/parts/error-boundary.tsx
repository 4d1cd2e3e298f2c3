/** Shows an error instead of the children that failed to render, and keeps the rest of the page. */
import { Component, type ReactNode } from 'react';
import { retryParts } from '../lazy-with-styles.ts';
import { ErrorNote } from './states.tsx';

interface Props {
  /** A new value clears the error. */
  resetKey: string;
  /** Removes the failed part; undefined if the page can't do without it. */
  dismiss?: () => void;
  children: ReactNode;
}

interface State {
  error: Error | undefined;
  resetKey: string;
  retries: number;
}

// If loading still fails after that, a file of the studio may no longer exist, for example after an upgrade of the service.
const RETRIES_BEFORE_RELOAD = 2;

/** A class, because React has no hook for error boundaries. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: undefined, resetKey: this.props.resetKey, retries: 0 };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps({ resetKey }: Props, state: State): Partial<State> | null {
    return resetKey === state.resetKey ? null : { resetKey, error: undefined, retries: 0 };
  }

  override render(): ReactNode {
    const { error, retries } = this.state;
    const { children, dismiss } = this.props;
    if (!error) return children;
    return (
      <div className="page">
        {!dismiss && <h1 className="visually-hidden">Error</h1>}
        <ErrorNote
          error={error}
          retry={() => {
            retryParts();
            this.setState({ error: undefined, retries: retries + 1 });
          }}
          reload={retries >= RETRIES_BEFORE_RELOAD ? () => location.reload() : undefined}
          dismiss={
            dismiss &&
            (() => {
              retryParts();
              dismiss();
            })
          }
        />
      </div>
    );
  }
}
