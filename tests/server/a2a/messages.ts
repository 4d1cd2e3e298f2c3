/** A2A messages as clients send them, and the tasks that they get. */
import {
  type Message,
  type Part,
  Role,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
  TaskState,
} from '@a2a-js/sdk';
import { type Client, ClientFactory } from '@a2a-js/sdk/client';

export const text = (value: string): Part => ({ content: { $case: 'text', value }, ...NO_FILE });
export const data = (value: unknown): Part => ({ content: { $case: 'data', value }, ...NO_FILE });
export const image = (value: Buffer): Part => ({
  ...{ content: { $case: 'raw', value }, metadata: undefined, filename: 'a.png', mediaType: 'image/png' },
});
const NO_FILE = { metadata: undefined, filename: '', mediaType: '' };

interface About {
  taskId?: string;
  contextId?: string;
  configuration?: Partial<NonNullable<SendMessageRequest['configuration']>>;
}

export function message(parts: string | Part[], { configuration, ...about }: About = {}): SendMessageRequest {
  const sent: Message = {
    ...{ messageId: crypto.randomUUID(), contextId: '', taskId: '', ...about, role: Role.ROLE_USER },
    ...{ parts: typeof parts === 'string' ? [text(parts)] : parts },
    ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
  };
  return {
    ...{ tenant: '', message: sent, metadata: undefined },
    configuration: configuration && {
      ...{ acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: false },
      ...configuration,
    },
  };
}

export const listing = (options: object = {}) => ({
  ...{ tenant: '', contextId: '', status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: '' },
  ...{ statusTimestampAfter: undefined, ...options },
});

export const named = (id: string) => ({ tenant: '', id, metadata: undefined });

export interface Agent extends Client {
  /** Sends a message and returns its task. */
  ask(parts: string | Part[], about?: About): Promise<Task>;
}

export async function agentAt(url: string): Promise<Agent> {
  const client = await new ClientFactory().createFromUrl(`${url}/.well-known/agent-card.json`, '');
  return Object.assign(client, {
    ask: async (parts: string | Part[], about?: About) =>
      (await client.sendMessage(message(parts, about))) as Task,
  });
}

/** The state of a task, the texts and data of its artifacts by name, and the text of its status. */
export function seen({ status, artifacts }: Pick<Task, 'status' | 'artifacts'>) {
  const parts = (status?.message?.parts ?? []).map(({ content }) => content?.value);
  const text = artifacts
    .flatMap(({ parts }) => parts)
    .flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []));
  const named = artifacts.flatMap(({ name, parts: [part] }) =>
    part?.content?.$case === 'data' ? [[name, part.content.value]] : [],
  );
  return {
    state: TaskState[status?.state ?? 0]?.replace('TASK_STATE_', ''),
    text: text.join(''),
    ...(named.length > 0 && { data: Object.fromEntries(named) }),
    ...(parts.length > 0 && { messageParts: parts }),
  };
}

/** The name of the error with which a call fails, its JSON-RPC code and Skein's code. */
export async function refused(call: Promise<unknown>) {
  const { name, envelopeCode, data } = await call.then(
    () => ({ name: 'answered', envelopeCode: 0, data: [] }),
    (error) => error,
  );
  return [name, envelopeCode, data?.[0]?.metadata?.error_code];
}

/** The texts of its status updates. */
export function statesOf(events: StreamResponse[]) {
  return events.flatMap(({ payload }) =>
    payload?.$case === 'statusUpdate' ? [payload.value.status?.state] : [],
  );
}
