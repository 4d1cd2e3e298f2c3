/** What the pages have in common: the settings of their chats, and what they show as text. */
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls } from 'ai';

const query = new URLSearchParams(location.search);
const id = query.get('chat');

export const settings = {
  id,
  messages: JSON.parse(sessionStorage.getItem(id) ?? '[]'),
  transport: new DefaultChatTransport({ api: query.get('api') }),
  sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
};

export function show({ messages, status, error }) {
  sessionStorage.setItem(id, JSON.stringify(messages));
  const parts = messages.at(-1)?.parts ?? [];
  window.asks = parts.find((part) => part.type === 'tool-resume' && part.state === 'input-available');
  window.shown = {
    said: messages.map(
      ({ role, parts }) =>
        `${role}: ${parts.map(({ type, text }) => (type === 'text' ? text : '')).join('')}`,
    ),
    asks: window.asks?.input ?? null,
    status,
    error: error ? error.message : null,
  };
  return JSON.stringify(window.shown, null, 2);
}
