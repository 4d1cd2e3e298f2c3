/** Keeps a part of the page that fails from taking the rest with it. */
import { Component, type ReactNode } from 'react';
import { ErrorNote } from './states.tsx';

interface Props {
  /** A new one forgets the failure. */
  of: string;
  children: ReactNode;
}

interface State {
  error: Error | undefined;
  of: string;
}

/** React asks for a class here. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: undefined, of: this.props.of };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps({ of }: Props, state: State): Partial<State> | null {
    return of === state.of ? null : { of, error: undefined };
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
