/** A modal `<dialog>`, which traps the focus and closes with Escape. It focuses the element with `data-autofocus`. */
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { Icon } from '../icon.tsx';
import './dialog.css';

interface DialogProps {
  title: string;
  close(): void;
  children: ReactNode;
}

export function Dialog({ title, close, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  // A layout effect, so that the dialog is closed before it is removed; otherwise, the focus would not return to where it was.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // showModal() focuses the first button. React's autoFocus runs earlier and sets no attribute, so set the focus again.
    dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => dialog?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes the dialog too
    <dialog
      ref={ref}
      className="dialog"
      aria-label={title}
      onClose={close}
      onClick={(event) => event.target === ref.current && close()}
    >
      <div className="dialog-head">
        <h2 className="grow">{title}</h2>
        <button type="button" className="button icon quiet" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <div className="dialog-body">{children}</div>
    </dialog>
  );
}
