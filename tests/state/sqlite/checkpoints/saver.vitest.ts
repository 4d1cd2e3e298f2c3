/** LangGraph's own conformance suite on the saver. Runs under vitest, because the suite is written for it. */
import { deltaChannelHistoryTests, validate } from '@langchain/langgraph-checkpoint-validation';
import { afterAll } from 'vitest';
import { openSaver } from './open-saver.ts';

const open: (() => void)[] = [];
afterAll(() => {
  for (const close of open) close();
});

const initializer = {
  checkpointerName: 'skein-sqlite',
  createCheckpointer() {
    const { saver, close } = openSaver();
    open.push(close);
    return saver;
  },
};

validate(initializer);
deltaChannelHistoryTests(initializer);
