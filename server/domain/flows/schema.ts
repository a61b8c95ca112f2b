import Type, { type Static } from 'typebox'
import { Id, Moment, nullable } from '../schema.ts'

export const FLOW_NAME_MAX = 120
export const VERSION_NOTE_MAX = 500
/** Flows of a workspace that aren't archived: the console lists them all, and each message is matched with the live ones. */
export const FLOWS_MAX = 200
export const ARCHIVED_SHOWN_MAX = 500
export const VERSIONS_SHOWN_MAX = 100
export const TESTS_MAX = 50
/** Of one test, as JSON. */
export const TEST_BYTES_MAX = 32 * 1024
/** Runs of each status that a list of flows counts. */
export const RUNS_COUNTED_MAX = 1_000
export const RUNS_COUNTED_DAYS = 30
export const BACKTEST_DAYS = 30
export const BACKTEST_MESSAGES_MAX = 5_000

export const FLOW_STATES = ['draft', 'live', 'paused', 'archived'] as const
export const FlowState = Type.Enum([...FLOW_STATES], {
  description:
    '`draft` was never published. `live` starts runs; `paused` and `archived` start none, and archived flows are hidden.',
})
export type FlowState = Static<typeof FlowState>
export const FlowKind = Type.Enum(['dialog', 'background'], {
  description:
    'A dialog writes to the customer, one at a time in a conversation. A background flow never does.',
})

export const RunCounts = Type.Object(
  {
    running: Type.Integer(),
    completed: Type.Integer(),
    failed: Type.Integer(),
    cancelled: Type.Integer(),
  },
  {
    title: 'FlowRunCounts',
    description: `Those that run, and those of the last ${RUNS_COUNTED_DAYS} days that ended; ${RUNS_COUNTED_MAX} stands for that many or more. Null for agents who only see their own conversations.`,
  },
)
export type RunCounts = Static<typeof RunCounts>

export const summary = {
  id: Id,
  name: Type.String(),
  kind: FlowKind,
  state: FlowState,
  version: nullable(
    Type.Integer({ description: 'The version that is live, or was; null before the first.' }),
  ),
  position: Type.Integer({ description: 'Dialogs are tried in this order, the lowest first.' }),
  hasChanges: Type.Boolean({ description: 'Whether the draft was edited after it was last published.' }),
  createdAt: Moment,
  updatedAt: Moment,
  publishedAt: nullable(Moment),
  runs: nullable(RunCounts),
}

const FLOW_EXAMPLE = {
  id: 'cmi8q2f5c000kf1w7a2b3c4de',
  name: 'Welcome menu',
  kind: 'dialog' as const,
  state: 'live' as const,
  version: 3,
  position: 1,
  hasChanges: false,
  createdAt: '2026-11-20T08:00:00.000Z',
  updatedAt: '2026-11-21T09:30:00.000Z',
  publishedAt: '2026-11-21T09:30:00.000Z',
  runs: { running: 4, completed: 120, failed: 1, cancelled: 9 },
}

export const FlowSummary = Type.Object(summary, { title: 'Flow' })
export type FlowSummary = Static<typeof FlowSummary>

export const FlowsQuery = Type.Object({
  state: Type.Optional(FlowState),
})
export type FlowsQuery = Static<typeof FlowsQuery>

export const FlowList = Type.Object(
  {
    flows: Type.Array(FlowSummary, {
      description: `In the order in which they are tried. Archived ones only with \`state=archived\`: the latest ${ARCHIVED_SHOWN_MAX}, newest first.`,
    }),
  },
  { title: 'FlowList', examples: [{ flows: [FLOW_EXAMPLE] }] },
)
export type FlowList = Static<typeof FlowList>

export const FlowParams = Type.Object({ flowId: Id })

/** The schema of definitions is in flow-engine/schema.ts; checkDefinition says more than it could. */
export const Definition = Type.Unsafe<object>({
  type: 'object',
  additionalProperties: true,
  description: 'The flow as JSON: triggers, and blocks of steps. Export it in the console to see its format.',
})

export const FlowAnswer = Type.Object(
  {
    flow: Type.Object(
      {
        ...summary,
        definition: nullable(
          Type.Unsafe<object>({ ...Definition, description: 'The live version; null before the first.' }),
        ),
      },
      { title: 'FlowWithDefinition' },
    ),
  },
  {
    title: 'FlowAnswer',
    examples: [
      {
        flow: {
          ...FLOW_EXAMPLE,
          definition: {
            schema: 1,
            kind: 'dialog',
            language: 'en',
            triggers: [{ on: 'api' }],
            start: 'hello',
            blocks: { hello: { steps: [{ id: 's1', type: 'send', text: 'Hello!' }], next: 'end' } },
          },
        },
      },
    ],
  },
)
export type FlowAnswer = Static<typeof FlowAnswer>
