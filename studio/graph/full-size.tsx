/** A part of the page over all of it, until Escape: the platform's own dialog, which keeps the focus. */
import { type ReactNode, useEffect, useRef } from 'react';

interface FullSizeProps {
  label: string;
  close(): void;
  children: ReactNode;
}

export function FullSize({ label, close, children }: FullSizeProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} className="full-size" aria-label={label} onClose={close}>
      {children}
    </dialog>
  );
}
