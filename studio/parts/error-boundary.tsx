/** Shows an error instead of the children that failed to render, and keeps the rest of the page. */
import { Component, type ReactNode } from 'react';
import { ErrorNote } from './states.tsx';

interface Props {
  /** A new value clears the error. */
  resetKey: string;
  children: ReactNode;
}

interface State {
  error: Error | undefined;
  resetKey: string;
}

/** A class, because React has no hook for error boundaries. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: undefined, resetKey: this.props.resetKey };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps({ resetKey }: Props, state: State): Partial<State> | null {
    return resetKey === state.resetKey ? null : { resetKey, error: undefined };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className="page">
        <ErrorNote error={error} retry={() => this.setState({ error: undefined })} />
      </div>
    );
  }
}
