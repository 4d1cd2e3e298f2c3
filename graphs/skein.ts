/** The package `skein`: the API for core and project workflows. */
export { AIMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
export {
  Annotation,
  Command,
  DeltaChannel,
  END,
  getStore,
  interrupt,
  Send,
  START,
  StateGraph,
} from '@langchain/langgraph';
export { type Static, Type } from '@sinclair/typebox';
export { SkeinError } from '../state/errors.ts';
export type { ItemStore, PutOptions } from '../state/items/store.ts';
export { Conversation, type ConversationState, type Output } from '../state/threads/conversation.ts';
export { readJson } from '../tools/json/read-json.ts';
export { factsText, type NumberedText, suggestionsText, textsText } from '../tools/models/data-blocks.ts';
export type { ColumnType, TableCell, TableData } from '../tools/sql/table-data.ts';
export type { Agent, AgentResult, AgentTools } from './authoring/agent/agent.ts';
export type { AnswerOptions } from './authoring/agent/agent-answer.ts';
export { AgentWork, type AgentWorkState, type Step } from './authoring/agent/agent-graph.ts';
export { chatModel, type SkeinChatModel } from './authoring/chat-model/chat-model.ts';
export type { ChatModelCallOptions, ChatModelOptions } from './authoring/chat-model/options.ts';
export {
  type AgentDescription,
  type CompiledGraph,
  type DrawableGraph,
  type Graph,
  type Reading,
  type Workflow,
  type WorkflowTools,
  workflow,
} from './authoring/workflow.ts';
export { type KnowledgeToolOptions, knowledgeTool } from './data-tools/knowledge-tool.ts';
export { mcpTools } from './data-tools/mcp-tools.ts';
export { type SqlToolOptions, sqlTool } from './data-tools/sql-tool.ts';
export { KnowledgeOptions } from './knowledge-base-agent/state.ts';
export { type KnowledgeWorkParts, knowledgeWork } from './knowledge-base-agent/work.ts';
export { chartOf } from './sql-manipulation-agent/chart.ts';
export { SqlOptions } from './sql-manipulation-agent/state.ts';
export { type SqlWorkParts, sqlWork } from './sql-manipulation-agent/work.ts';
