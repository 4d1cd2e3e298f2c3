/** The programs by chat: their answers, and the values that plain LangGraph returns for them. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { lasting, plainThread } from './plain.ts';
import { PROGRAMS, type Program } from './programs.ts';
import { type ServedProject, serveProject } from './project.ts';
import { callerOf } from './script.ts';
import { chatted } from './turns.ts';

let project: ServedProject;
beforeAll(async () => {
  project = await serveProject();
});
afterAll(() => project.close());

const TOKENS_OF_A_CALL = 30;

/** How often each caller has called the model since the `index`th call. */
function callsFrom(index: number): Record<string, number> {
  const callers = project.provider.requests.slice(index).map(callerOf);
  return Object.fromEntries(
    Map.groupBy(callers, (name) => name)
      .entries()
      .map(([name, all]) => [name, all.length]),
  );
}

/** The JSON of the output is that of the checkpoint, with the messages' ids. */
function textOf({ says }: Program, values: unknown): string {
  return says ?? JSON.stringify(values);
}

test.each(PROGRAMS.map((program) => [program.name, program] as const))(
  '%s answers as plain LangGraph does',
  async (name, program) => {
    const index = project.provider.requests.length;
    const { status, body } = await chatted(project.service, program, `chat-${name}`);
    expect({ status, body }).toMatchObject({ status: 200 });
    const calls = callsFrom(index);
    expect(calls).toEqual(program.calls);
    expect(body.agent_response).toBe(textOf(program, body.values));
    expect(
      body.outputs.map(({ agent, content, data }: Record<string, unknown>) => [agent, content, data]),
    ).toEqual(program.outputs);
    const all = Object.values(calls).reduce((sum, one) => sum + one, 0);
    if (program.model !== 'LineModel') expect(body.token_count).toBe(all * TOKENS_OF_A_CALL);
    expect(body).toMatchObject({ model: program.model, interrupt: null, interrupts: [], stopped_at: [] });
    expect(lasting(body.values)).toEqual(await plainThread(await project.graph(name), program).turn());
  },
);
