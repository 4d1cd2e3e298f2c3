/** The id of a thread that a client names itself. */
import { Type } from '@sinclair/typebox';

export const ThreadId = Type.String({
  pattern: '^[A-Za-z0-9._:-]{1,128}$',
  description: '1 to 128 of A-Z a-z 0-9 . _ : -',
});
