/** Shows its children in a full-screen `<dialog>`, which traps the focus and closes with Escape. */
import { type ReactNode, useEffect, useRef } from 'react';

interface FullScreenProps {
  label: string;
  close(): void;
  children: ReactNode;
}

export function FullScreen({ label, close, children }: FullScreenProps) {
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
