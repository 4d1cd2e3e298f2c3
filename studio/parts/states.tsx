/** What a page shows where there is nothing, not yet, or something went wrong: always with what to do. */
import type { ReactNode } from 'react';
import { SkeinApiError } from '../../client/api-error.ts';

/** `isPage`: it stands for all of the page. */
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

/** As tall as what comes, so that nothing jumps. */
export function Loading({ lines = 4 }: { lines?: number }) {
  return (
    <div className="stack" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <div key={line} className="bar-placeholder" />
      ))}
    </div>
  );
}

/** An error with its code, its place and the id under which the log has it. */
export function ErrorNote({ error, retry }: { error: Error; retry?: () => void }) {
  const known = error instanceof SkeinApiError ? error : undefined;
  return (
    <div className="note bad" role="alert">
      <p>{error.message}</p>
      {known?.detail && <p>{known.detail}</p>}
      <ErrorReference code={known?.code} requestId={known?.requestId} />
      {retry && (
        <p>
          <button type="button" className="button small" onClick={retry}>
            Try again
          </button>
        </p>
      )}
    </div>
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
          {code && ' · '}request <code>{requestId}</code>
        </>
      )}
    </p>
  );
}
