/** All settings in one schema: each block is declared beside the code that it configures and composed here. */
import { type Static, Type } from '@sinclair/typebox';
import { WorkflowSettings } from '../graphs/authoring/workflow-settings.ts';
import { LangGraphOptions } from '../graphs/discovery/options.ts';
import { PromptsOptions } from '../prompts/options.ts';
import { BudgetOptions } from '../runtime/budgets/options.ts';
import { DatasetsOptions } from '../runtime/datasets/options.ts';
import { LimitsOptions, MemoryOptions } from '../runtime/options.ts';
import { StoreOptions } from '../runtime/store-options.ts';
import { A2AOptions } from '../server/a2a/options.ts';
import { WebOptions } from '../server/options.ts';
import { WebhookOptions } from '../server/webhooks/options.ts';
import { ClusterOptions } from '../state/cluster/cluster-options.ts';
import { ChatHistoryOptions } from '../state/options.ts';
import { CloudSearchOptions, KnowledgeBaseOptions } from '../tools/knowledge/options.ts';
import { McpServersOptions } from '../tools/mcp/options.ts';
import { ModelOptions } from '../tools/models/options.ts';
import { CloudSqlOptions, LocalSqlOptions } from '../tools/sql/options.ts';
import { TelemetryOptions } from './telemetry-options.ts';

export const Settings = Type.Object(
  {
    profile: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The profile of profiles.yml that is used; unset: the first.',
      }),
    ),
    web_configuration: WebOptions,
    models: Type.Array(ModelOptions, {
      default: [],
      description: 'The models; the first of a role is the default.',
    }),
    chat_history: ChatHistoryOptions,
    cluster: ClusterOptions,
    memory: MemoryOptions,
    limits: LimitsOptions,
    budgets: Type.Array(BudgetOptions, {
      default: [],
      description:
        'What callers and workflows may use in a day or a month; a call that could pass one is refused.',
    }),
    store: StoreOptions,
    langgraph: LangGraphOptions,
    webhooks: WebhookOptions,
    a2a: A2AOptions,
    workflows: Type.Record(Type.String({ pattern: '^[a-z0-9][a-z0-9-]*$' }), WorkflowSettings, {
      additionalProperties: false,
      default: {},
      description: 'The settings of the workflows, by name.',
    }),
    prompts: PromptsOptions,
    datasets: DatasetsOptions,
    knowledge_base: KnowledgeBaseOptions,
    local_sql_db: LocalSqlOptions,
    cloud_sql: Type.Optional(CloudSqlOptions),
    cloud_search: Type.Optional(CloudSearchOptions),
    mcp_servers: McpServersOptions,
    telemetry: TelemetryOptions,
  },
  { additionalProperties: false, description: 'The settings of the service.' },
);

export type Settings = Static<typeof Settings>;
