/** Creates a dataset case from a recorded model call. The case uses the prompt files' versions at the time that it runs. */
import type { Case } from '../data/datasets.ts';
import type { CallOfRun } from './use-calls.ts';

type CaseCall = NonNullable<Case['call']>;

export function caseOfCall(call: CallOfRun, workflow: string): Partial<Case> {
  return {
    call: requestOf(call),
    expect: expectedOf(call.response ?? ''),
    source: { run_id: call.at.run, workflow },
  };
}

function requestOf(call: CallOfRun): CaseCall {
  const { task, messages, temperature, max_tokens, stop, prompts } = call;
  const { tools, tool_choice, parallel_tool_calls, response_format } = call;
  const files = prompts.flatMap(({ filename, revision_id, place, variables }) => {
    // Otherwise, the position refers to the text of tool calls.
    const isText = place && messages[place.message]?.text === undefined;
    return isText && variables ? [{ filename, revision_id, ...place, variables }] : [];
  });
  const options = { temperature, max_tokens, stop, tools, tool_choice, parallel_tool_calls, response_format };
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return {
    messages: messages.map(({ role, content, text = content, tool_calls, tool_call_id }) => ({
      ...{ role, content: text },
      ...(tool_calls && tool_calls.length > 0 && { tool_calls }),
      ...(tool_call_id !== undefined && { tool_call_id }),
    })),
    ...Object.fromEntries(given),
    task,
    ...(files.length > 0 && { prompts: files }),
  };
}

/** For a JSON response, expects the same value, because the formatting may differ. */
function expectedOf(response: string): Case['expect'] {
  const value = objectIn(response);
  return value ? { json: { 'outputs[0].data': value } } : { exact: response };
}

export function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
