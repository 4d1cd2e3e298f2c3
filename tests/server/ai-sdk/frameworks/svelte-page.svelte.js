/** A page as Svelte programs have it: `Chat` is its `useChat`. */
import { Chat } from '@ai-sdk/svelte';
import { settings, show } from './shown.js';

const chat = new Chat(settings);
window.chat = chat;
void chat.resumeStream();

$effect.root(() => {
  $effect(() => {
    const messages = $state.snapshot(chat.messages);
    document.getElementById('page').textContent = show({ messages, status: chat.status, error: chat.error });
  });
});
