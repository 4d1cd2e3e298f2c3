/** The routes of Skein's own API. They are in groups because TypeScript limits the depth of a chain of routes. */
import { Elysia } from 'elysia';
import { authRoutes } from './authentication/routes.ts';
import { callerRoutes } from './callers/routes.ts';
import { resumeRoutes } from './chat/resume.ts';
import { chatRoutes } from './chat/routes.ts';
import type { Connections } from './connection.ts';
import { databaseRoutes } from './database/routes.ts';
import { modelCallRoutes } from './datasets/model-call.ts';
import { datasetResultRoutes } from './datasets/results.ts';
import { datasetRoutes } from './datasets/routes.ts';
import { knowledgeDocumentRoutes } from './knowledge/documents.ts';
import { knowledgeSearchRoutes } from './knowledge/search.ts';
import { promptDryRunRoutes } from './prompts/dry-run.ts';
import { promptRoutes } from './prompts/routes.ts';
import { promptUpdateRoutes } from './prompts/updates.ts';
import { runCallRoutes } from './runs/calls.ts';
import { runReplayRoutes } from './runs/replay.ts';
import { runRoutes } from './runs/routes.ts';
import { runRowRoutes } from './runs/rows.ts';
import { runStreamRoutes } from './runs/stream.ts';
import { oneThreadRoutes } from './runs/thread-route.ts';
import { searchRoutes } from './search/routes.ts';
import type { Services } from './services.ts';
import { statisticsRoutes } from './statistics/routes.ts';
import { storeItemRoutes } from './store/routes.ts';
import { threadChangeRoutes } from './threads/changes.ts';
import { checkpointRoutes } from './threads/checkpoints.ts';
import { feedbackRoutes } from './threads/feedback.ts';
import { forkRoutes } from './threads/forks.ts';
import { messageRoutes } from './threads/messages.ts';
import { reviewRoutes } from './threads/reviews.ts';
import { threadRoutes } from './threads/routes.ts';
import { usageRoutes } from './usage/routes.ts';
import { workflowRoutes } from './workflows/routes.ts';

type Parts = Services & Connections;

export const conversationApi = (services: Parts) =>
  new Elysia({ name: 'conversations' })
    .use(chatRoutes(services))
    .use(resumeRoutes(services))
    .use(threadChangeRoutes(services))
    .use(threadRoutes(services))
    .use(oneThreadRoutes(services))
    .use(messageRoutes(services))
    .use(checkpointRoutes(services))
    .use(forkRoutes(services))
    .use(feedbackRoutes(services));

export const runApi = (services: Parts) =>
  new Elysia({ name: 'runs of all threads' })
    .use(runStreamRoutes(services))
    .use(runCallRoutes(services))
    .use(runReplayRoutes(services))
    .use(runRowRoutes(services))
    .use(runRoutes(services))
    .use(usageRoutes(services))
    .use(searchRoutes(services))
    .use(statisticsRoutes(services));

export const resourceApi = (services: Parts) =>
  new Elysia({ name: 'resources' })
    .use(workflowRoutes(services))
    .use(callerRoutes(services))
    .use(authRoutes(services))
    .use(promptRoutes(services))
    .use(promptUpdateRoutes(services))
    .use(storeItemRoutes(services))
    .use(databaseRoutes(services))
    .use(promptDryRunRoutes(services))
    .use(knowledgeDocumentRoutes(services))
    .use(knowledgeSearchRoutes(services));

export const datasetApi = (services: Parts) =>
  new Elysia({ name: 'from failures to tests' })
    .use(reviewRoutes(services))
    .use(datasetRoutes(services))
    .use(datasetResultRoutes(services))
    .use(modelCallRoutes(services));
