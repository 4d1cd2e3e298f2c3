/** Code of a user of `skein-client`. Plain JavaScript is also checked as TypeScript. */

/** Prints its results as JSON. The stream is requested from `streamUrl`. */
export const program = (url: string, streamUrl: string) => `
import { createClient, followRun, SkeinApiError, streamChat } from 'skein-client';

const request = { conversation_flow: 'classification-agent', user_prompt: 'My pedal broke.' };
const client = createClient('${url}');

const { data, status } = await client.api.v1.chat.post(request);
const agents = data && 'outputs' in data ? data.outputs.map(({ agent }) => agent) : [];
const thread_id = data?.thread_id ?? '';
const { data: thread } = await client.api.v1.threads({ thread_id }).get();

let run_id = '';
let text = '';
const ids = [];
for await (const event of streamChat('${streamUrl}', request)) {
  ids.push(event.id);
  if (event.event === 'run') run_id = event.data.run_id;
  if (event.event === 'token') text += event.data.text;
}

const after = [];
for await (const { id } of followRun('${url}', run_id, { after: 2 })) after.push(id);

const unknown = { ...request, conversation_flow: 'nothing' };
const refused = await client.api.v1.chat.post(unknown);
let thrown;
try {
  for await (const _ of streamChat('${url}', unknown));
} catch (error) {
  if (error instanceof SkeinApiError) thrown = { status: error.status, code: error.code };
}

console.log(JSON.stringify({
  agents, status, sameThread: thread?.thread_id === thread_id, ids, text, after,
  refused: { status: refused.status, value: refused.error?.value }, thrown,
}));
`;

/** Each marked line is an error, so none of the types is \`any\`. */
export const MISTAKES = `
import { createClient, streamChat } from 'skein-client';

const client = createClient('http://localhost');
// @ts-expect-error there is no such path
client.api.v1.chats;
// @ts-expect-error a required field is missing
client.api.v1.chat.post({ user_prompt: 'a' });
// @ts-expect-error a path's parameter is missing
client.api.v1.threads({});
const { data, error } = await client.api.v1.chat.post({ conversation_flow: 'a' });
// @ts-expect-error data may be missing
data.thread_id;
// @ts-expect-error an error is not certain
error.value;
for await (const event of streamChat('', { conversation_flow: 'a' })) {
  // @ts-expect-error only a token has text
  event.data.text;
  // @ts-expect-error there is no such event
  if (event.event === 'nothing') break;
}
`;

/** A user's library: its declarations can name the client's types. */
export const LIBRARY = `
import { createClient, streamChat } from 'skein-client';

export const client = createClient('http://localhost');
export const ask = (user_prompt: string) => client.api.v1.chat.post({ conversation_flow: 'a', user_prompt });
export const thread = (thread_id: string) => client.api.v1.threads({ thread_id });
export const stream = (user_prompt: string) => streamChat('', { conversation_flow: 'a', user_prompt });
`;

/** Compares the package's types with those of \`skein/client\` in the checkout. */
export const comparison = (root: string) => `
import type * as packed from 'skein-client';
import type * as source from '${root}/client/client.ts';
import type { ServiceRoutes } from '${root}/client/light/service.ts';
import type { Differing, Same } from '${root}/tests/client/light/same-client.ts';

type Eden = ReturnType<typeof source.createClient>;
type Paths = Differing<ServiceRoutes, packed.Client, Eden>;
export const paths: [Paths] extends [never] ? 'none' : Paths = 'none';

type Call<Name extends 'streamChat' | 'streamResume' | 'followRun'> = Same<
  Parameters<(typeof packed)[Name]>,
  Parameters<(typeof source)[Name]>
>;
export const calls: [Call<'streamChat'>, Call<'streamResume'>, Call<'followRun'>] = [true, true, true];
export const events: Same<packed.RunStreamEvent, source.RunStreamEvent> = true;
export const created: Same<
  Parameters<typeof packed.createClient>,
  Parameters<typeof source.createClient>
> = true;
`;
