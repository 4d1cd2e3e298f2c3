/** The schema of a thread id that the client chooses. */
import { Type } from '@sinclair/typebox';

export const ThreadId = Type.String({
  pattern: '^[A-Za-z0-9._:-]{1,128}$',
  description: '1 to 128 characters of A-Z a-z 0-9 . _ : -',
});
