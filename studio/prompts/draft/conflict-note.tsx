/** Shown if another person has saved the file: both texts are merged by hand in the editor. */
import { CopyButton } from '../../parts/copy-button.tsx';
import type { Draft } from './draft.ts';

export function ConflictNote({ draft }: { draft: Draft }) {
  if (!draft.theirs) return null;
  return (
    <div className="note waiting" role="alert">
      <p>
        <strong>Someone else has saved a newer version of this file.</strong>
      </p>
      <p>
        The editor shows your text compared with theirs. Red lines are only in theirs, green lines only in
        yours. Keep or take each change, then save.
      </p>
      <div className="row wrap">
        <button
          type="button"
          className="button small"
          aria-disabled={draft.busy}
          onClick={() => void draft.save()}
        >
          Save merged text
        </button>
        <button type="button" className="button small" onClick={draft.takeTheirs}>
          Use their version
        </button>
        <CopyButton text={() => draft.text ?? ''} label="Copy my text" />
      </div>
    </div>
  );
}
