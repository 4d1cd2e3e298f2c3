/** A custom chat model that streams, and a node that writes to the stream. */
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import {
  END,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';

/** Calls a custom endpoint, which responds with lines. */
class LineModel extends BaseChatModel {
  _llmType() {
    return 'lines';
  }

  async _generate(messages: BaseMessage[], _options: this['ParsedCallOptions']): Promise<ChatResult> {
    const text = (await this.ask(messages)).join(' ');
    return { generations: [{ text, message: new AIMessage(text) }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for (const [index, word] of (await this.ask(messages)).entries()) {
      const text = index === 0 ? word : ` ${word}`;
      const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
      yield chunk;
      await runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }

  private async ask(messages: BaseMessage[]): Promise<string[]> {
    const body = JSON.stringify({
      model: 'lines',
      messages: messages.map((message) => ({
        role: message.getType() === 'system' ? 'system' : 'user',
        content: message.text,
      })),
    });
    const answer = await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, { method: 'POST', body });
    const { choices } = (await answer.json()) as { choices: { message: { content: string } }[] };
    return choices[0]?.message.content.split(' ') ?? [];
  }
}

const model = new LineModel({});

type State = typeof MessagesAnnotation.State;

async function tell({ messages }: State, config: LangGraphRunnableConfig) {
  config.writer?.({ progress: 0 });
  const answer = await model.invoke([{ role: 'system', content: 'You are tell.' }, ...messages]);
  config.writer?.({ progress: 1 });
  return { messages: [answer] };
}

async function sum({ messages }: State, { writer }: LangGraphRunnableConfig) {
  const stream = await model.stream([{ role: 'system', content: 'You are sum.' }, ...messages]);
  let text = '';
  for await (const chunk of stream) text += chunk.text;
  writer?.('summed');
  return { messages: [new AIMessage(text)] };
}

export default new StateGraph(MessagesAnnotation)
  .addNode('tell', tell)
  .addNode('sum', sum)
  .addEdge(START, 'tell')
  .addEdge('tell', 'sum')
  .addEdge('sum', END)
  .compile();
