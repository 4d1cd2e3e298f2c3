/** The empty, loading and error states of pages. */
import type { ReactNode } from 'react';
import { SkeinApiError } from '../../client/api-error.ts';

/** `isPage`: the empty state is the whole page, so its title is the page's heading. */
export function Empty({
  title,
  isPage,
  children,
}: {
  title: string;
  isPage?: boolean;
  children?: ReactNode;
}) {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className="empty">
      <Heading>{title}</Heading>
      {children}
    </div>
  );
}

/** Placeholder lines, about as tall as the content, so that the layout doesn't shift. */
export function Loading({ lines = 4 }: { lines?: number }) {
  return (
    <div className="stack" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are identical
        <div key={line} className="bar-placeholder" />
      ))}
    </div>
  );
}

interface ErrorNoteProps {
  error: Error;
  retry?: (() => void) | undefined;
  reload?: (() => void) | undefined;
  dismiss?: (() => void) | undefined;
}

/** An error with its code and the request id, which is also in the service's log. */
export function ErrorNote({ error, retry, reload, dismiss }: ErrorNoteProps) {
  const known = error instanceof SkeinApiError ? error : undefined;
  return (
    <div className="note bad" role="alert">
      <p>{error.message}</p>
      {known?.detail && <p>{known.detail}</p>}
      <ErrorReference code={known?.code} requestId={known?.requestId} />
      {(retry || dismiss) && (
        <p className="row wrap">
          {retry && <NoteButton label="Retry" onClick={retry} />}
          {reload && <NoteButton label="Reload page" onClick={reload} />}
          {dismiss && <NoteButton label="Dismiss" onClick={dismiss} />}
        </p>
      )}
    </div>
  );
}

function NoteButton({ label, onClick }: { label: string; onClick(): void }) {
  return (
    <button type="button" className="button small" onClick={onClick}>
      {label}
    </button>
  );
}

export function ErrorReference({
  code,
  requestId,
}: {
  code?: string | undefined;
  requestId?: string | undefined;
}) {
  if (!code && !requestId) return null;
  return (
    <p className="muted small">
      {code && <code>{code}</code>}
      {requestId && (
        <>
          {code && ' · '}request id <code>{requestId}</code>
        </>
      )}
    </p>
  );
}
