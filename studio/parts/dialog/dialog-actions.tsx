/** The row with the main button of a dialog and Cancel. */
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../icon.tsx';

interface DialogActionsProps {
  /** The text of the main button. */
  label: string;
  icon?: IconName;
  /** Called by the main button, which deletes something. Without it, the button submits the form around it. */
  onDelete?(): void;
  busy?: boolean;
  /** Whether the row stays visible while a long form scrolls. */
  isSticky?: boolean;
  cancel(): void;
  /** Shown after the buttons. */
  children?: ReactNode;
}

export function DialogActions({
  label,
  icon,
  onDelete,
  busy,
  isSticky,
  cancel,
  children,
}: DialogActionsProps) {
  return (
    <div className={isSticky ? 'row wrap dialog-end' : 'row wrap'}>
      <button
        type={onDelete ? 'button' : 'submit'}
        className={onDelete ? 'button danger' : 'button primary'}
        aria-disabled={busy}
        onClick={onDelete}
      >
        {icon && <Icon name={icon} size={14} />}
        {label}
      </button>
      <button type="button" className="button" onClick={cancel}>
        Cancel
      </button>
      {children}
    </div>
  );
}
