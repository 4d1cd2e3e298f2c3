/** The dialog that exports a conversation as Markdown or copies a link to it. */
import { useState } from 'react';
import { readAllMessages, type Thread } from '../../data/threads/threads.ts';
import { download } from '../../download.ts';
import { fileName } from '../../file-name.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ErrorNote } from '../../parts/states.tsx';
import { conversationMarkdown } from './conversation-markdown.ts';

export function ExportDialog({ thread, close }: { thread: Thread; close(): void }) {
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);

  async function save() {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      const messages = await readAllMessages(thread.thread_id);
      const name = `conversation-${fileName(thread.title, 'without-a-title')}.md`;
      download(name, conversationMarkdown(thread, messages), 'text/markdown');
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
    setBusy(false);
  }
  return (
    <Dialog title="Export conversation" close={close}>
      <p>The file contains all questions and answers, with agents, times and sources.</p>
      {error && <ErrorNote error={error} />}
      <div className="row wrap">
        <button
          type="button"
          className="button primary"
          aria-disabled={busy}
          onClick={save}
          data-autofocus=""
        >
          <Icon name="download" size={14} />
          Download Markdown
        </button>
        <CopyButton text={() => location.href} label="Copy link" />
      </div>
    </Dialog>
  );
}
