/** A page as React programs have it: `useStream` of `@langchain/react`, the thread in the address, and what it knows as text. */
import { useMessageMetadata, useStream } from '@langchain/react';
import { createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';

const query = new URLSearchParams(location.search);

function Page() {
  const [threadId, setThreadId] = useState(query.get('thread'));
  const stream = useStream({
    apiUrl: query.get('api'),
    assistantId: 'desk',
    transport: query.get('transport'),
    threadId,
    onThreadId(id) {
      setThreadId(id);
      query.set('thread', id);
      history.replaceState(null, '', `?${query}`);
    },
  });
  const { messages, isLoading, interrupt, error, subgraphs } = stream;
  const last = useMessageMetadata(stream, messages.at(-1)?.id);
  window.stream = stream;
  window.shown = {
    said: messages.map(({ type, text }) => `${type}: ${text}`),
    isLoading,
    asks: interrupt?.value ?? null,
    error: error ? String(error) : null,
    inside: [...subgraphs.values()].map(({ nodeName, status }) => `${nodeName}: ${status}`),
    before: last?.parentCheckpointId ?? null,
  };
  return createElement('pre', null, JSON.stringify(window.shown, null, 2));
}

createRoot(document.getElementById('page')).render(createElement(Page));
