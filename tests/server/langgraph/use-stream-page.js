/** A page as React programs have it: LangGraph's `useStream`, the thread in the address, and what it knows as text. */
import { useStream } from '@langchain/langgraph-sdk/react';
import { createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';

const query = new URLSearchParams(location.search);

function Page() {
  const [threadId, setThreadId] = useState(query.get('thread'));
  const stream = useStream({
    apiUrl: query.get('api'),
    assistantId: 'desk',
    threadId,
    onThreadId(id) {
      setThreadId(id);
      query.set('thread', id);
      history.replaceState(null, '', `?${query}`);
    },
    onCreated({ run_id }) {
      window.runId = run_id;
    },
    reconnectOnMount: true,
    fetchStateHistory: true,
  });
  const { messages, isLoading, interrupt, error } = stream;
  window.stream = stream;
  window.shown = {
    said: messages.map(({ type, content }) => `${type}: ${content}`),
    isLoading,
    asks: interrupt?.value ?? null,
    error: error ? String(error) : null,
    branches: messages.map((message) => stream.getMessagesMetadata(message)?.branchOptions?.length ?? 1),
  };
  return createElement('pre', null, JSON.stringify(window.shown, null, 2));
}

createRoot(document.getElementById('page')).render(createElement(Page));
