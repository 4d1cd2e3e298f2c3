/**
 * The types that `skein-client` uses from the service. The package contains them written out, with one declaration per name.
 */
import type { Routes } from '../../server/app.ts';
import type { StreamEvent } from '../../server/chat/event-stream.ts';

export type ErrorCode = Extract<StreamEvent, { event: 'error' }>['data']['error_code'];

export type { ResumeRequest } from '../../server/chat/resume.ts';
export type { ChatRequest, ChatResponse } from '../../server/chat/schema.ts';
export type { RunBody } from '../../server/runs/shape.ts';
export type { ThreadBody } from '../../server/threads/shape.ts';
export type { StreamEvent };

type Api = Routes['~Routes']['api']['v1'];
export type DocumentBody = Api['knowledge']['documents'][':name']['put']['response'][200];
/** The body of a validation error, which Elysia declares for every route with a schema. */
export type ValidationProblem = Api['chat']['post']['response'][422];

/** Path segments, then methods. */
export type ServiceRoutes = Routes['~Routes'];
