/** A page as React programs have it: the AI SDK's `useChat`, which keeps its messages, and what it knows as text. */
import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls } from 'ai';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

const query = new URLSearchParams(location.search);
const id = query.get('chat');

function Page() {
  const chat = useChat({
    id,
    resume: true,
    messages: JSON.parse(sessionStorage.getItem(id) ?? '[]'),
    transport: new DefaultChatTransport({ api: query.get('api') }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onData: ({ type, data }) => {
      window.heard = [...(window.heard ?? []), { type, data }];
    },
  });
  const { messages, status, error } = chat;
  sessionStorage.setItem(id, JSON.stringify(messages));
  const parts = messages.at(-1)?.parts ?? [];
  window.chat = chat;
  window.asks = parts.find((part) => part.type === 'tool-resume' && part.state === 'input-available');
  window.shown = {
    said: messages.map(
      ({ role, parts }) =>
        `${role}: ${parts.map(({ type, text }) => (type === 'text' ? text : '')).join('')}`,
    ),
    thought: parts.filter(({ type }) => type === 'reasoning').map(({ text }) => text),
    tools: parts
      .filter(({ type }) => type === 'dynamic-tool')
      .map(({ toolName, input, output }) => ({ toolName, input, output })),
    data: parts.filter(({ type }) => type.startsWith('data-')).map(({ type, data }) => ({ type, data })),
    asks: window.asks?.input ?? null,
    status,
    error: error ? error.message : null,
  };
  return createElement('pre', null, JSON.stringify(window.shown, null, 2));
}

createRoot(document.getElementById('page')).render(createElement(Page));
