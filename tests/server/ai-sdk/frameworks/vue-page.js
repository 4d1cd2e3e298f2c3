/** A page as Vue programs have it. */
import { useChat } from '@ai-sdk/vue';
import { createApp, h, onMounted } from 'vue';
import { settings, show } from './shown.js';

const Page = {
  setup() {
    const chat = useChat(settings);
    window.chat = chat;
    onMounted(() => chat.resumeStream());
    return () =>
      h('pre', show({ messages: chat.messages.value, status: chat.status.value, error: chat.error.value }));
  },
};

createApp(Page).mount('#page');
