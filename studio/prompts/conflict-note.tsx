/** Somebody else was faster: their text and this one are merged in the editor, by hand, and nothing is lost. */
import { CopyButton } from '../parts/copy-button.tsx';
import type { Draft } from './draft.ts';

export function ConflictNote({ draft }: { draft: Draft }) {
  if (!draft.theirs) return null;
  return (
    <div className="note waiting" role="alert">
      <p>
        <strong>Somebody else has saved this file meanwhile.</strong>
      </p>
      <p>
        Your text is in the editor, with what it changes against theirs: red lines are theirs alone, green
        ones yours. Take what you want of it, then save.
      </p>
      <div className="row wrap">
        <button
          type="button"
          className="button small"
          disabled={draft.busy}
          onClick={() => void draft.save()}
        >
          Save the text in the editor
        </button>
        <button type="button" className="button small" onClick={draft.takeTheirs}>
          Take all of theirs
        </button>
        <CopyButton text={() => draft.text ?? ''} label="Copy mine" />
      </div>
    </div>
  );
}
