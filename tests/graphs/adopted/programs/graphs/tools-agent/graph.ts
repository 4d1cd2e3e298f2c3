/** LangGraph's prebuilt agent with tools. */
import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';

const getWeather = tool(({ city }) => `It's always sunny in ${city}!`, {
  name: 'get_weather',
  description: 'Gets the weather of a city.',
  schema: z.object({ city: z.string() }),
});

const getTime = tool(async ({ city }) => ({ city, time: '12:00' }), {
  name: 'get_time',
  description: 'Gets the time in a city.',
  schema: z.object({ city: z.string() }),
});

export default createReactAgent({
  llm: new ChatOpenAI({ model: 'gpt-4o-mini', temperature: 0 }),
  tools: [getWeather, getTime],
  prompt: 'You are assistant.',
});
