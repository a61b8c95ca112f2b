// Shapes of editing flows, for the console alone.
import Type, { type Static } from 'typebox'
import { Id, Moment, Name, nullable } from '../schema.ts'
import {
  BACKTEST_MESSAGES_MAX,
  Definition,
  FLOW_NAME_MAX,
  FLOWS_MAX,
  RunCounts,
  summary,
  VERSION_NOTE_MAX,
  VERSIONS_SHOWN_MAX,
} from './schema.ts'

export const FlowProblem = Type.Object(
  {
    severity: Type.Enum(['error', 'warning']),
    code: Type.String(),
    block: nullable(Type.String()),
    stepId: nullable(Type.String()),
    message: Type.String(),
  },
  { title: 'FlowProblem' },
)

const Person = Type.Object(
  { id: Type.String({ description: 'An account, `api:<token>` or `system`.' }), name: Type.String() },
  { title: 'FlowAuthor' },
)

const FlowVersion = Type.Object(
  {
    version: Type.Integer(),
    note: nullable(Type.String()),
    warnings: Type.Array(FlowProblem, {
      description: 'Warnings and failing tests that were accepted.',
    }),
    publishedAt: Moment,
    publishedBy: Person,
  },
  { title: 'FlowVersion' },
)

/** Checked by checkScenario, which names the turn. */
const ScenarioShape = Type.Unsafe<object>({ type: 'object', additionalProperties: true })

export const FlowTest = Type.Object(
  { id: Id, name: Type.String(), scenario: ScenarioShape },
  { title: 'FlowTest' },
)
export type FlowTest = Static<typeof FlowTest>

export const FlowDetails = Type.Object(
  {
    flow: Type.Object({
      ...summary,
      draft: Definition,
      draftRevision: Type.Integer(),
      updatedBy: Person,
      versions: Type.Array(FlowVersion, {
        description: `Newest first; the latest ${VERSIONS_SHOWN_MAX}.`,
      }),
      tests: Type.Array(FlowTest),
    }),
  },
  { title: 'FlowDetails' },
)
export type FlowDetails = Static<typeof FlowDetails>

/** Drafts may be unfinished. What cannot be kept at all is refused by the operation. */
const DraftBody = Type.Unknown({ description: 'A definition, which may be unfinished.' })

export const NewFlow = Type.Object(
  { name: Name(FLOW_NAME_MAX), definition: Type.Optional(DraftBody) },
  { title: 'NewFlow' },
)

export const FlowRename = Type.Object({ name: Name(FLOW_NAME_MAX) }, { title: 'FlowRename' })

const Revision = Type.Integer({ minimum: 1, description: 'The draftRevision that the change is based on.' })

export const DraftChange = Type.Object(
  { definition: DraftBody, revision: Revision },
  { title: 'FlowDraftChange' },
)
export const DraftSaved = Type.Object(
  { draftRevision: Type.Integer(), updatedAt: Moment },
  { title: 'FlowDraftSaved' },
)
export type DraftSaved = Static<typeof DraftSaved>

export const Publication = Type.Object(
  {
    revision: Revision,
    note: Type.Optional(Type.String({ trim: true, maxLength: VERSION_NOTE_MAX })),
    acceptWarnings: Type.Optional(Type.Boolean()),
  },
  { title: 'FlowPublication' },
)

export const WhatOfRuns = Type.Object(
  { runs: Type.Enum(['finish', 'cancel'], { description: 'What happens to runs that haven’t ended.' }) },
  { title: 'FlowRunsLeft' },
)

export const VersionParams = Type.Object({
  flowId: Id,
  version: Type.String({ description: 'The number of a version.' }),
})
export const VersionAnswer = Type.Object(
  { version: Type.Integer(), definition: Definition },
  { title: 'FlowVersionAnswer' },
)

export const FlowOrder = Type.Object(
  { ids: Type.Array(Type.String({ maxLength: 64 }), { maxItems: FLOWS_MAX, uniqueItems: true }) },
  { title: 'FlowOrder' },
)

export const TestParams = Type.Object({ flowId: Id, testId: Id })
export const TestBody = Type.Object(
  { scenario: Type.Unknown({ description: 'A test: turns, and what has to come of them.' }) },
  { title: 'FlowTestBody' },
)
export const TestAnswer = Type.Object({ test: FlowTest }, { title: 'FlowTestAnswer' })
export const TestList = Type.Object({ tests: Type.Array(FlowTest) }, { title: 'FlowTestList' })
export const Removed = Type.Object({ success: Type.Literal(true) }, { title: 'FlowRemoved' })

export const TestFailures = Type.Array(
  Type.Object(
    {
      testId: Id,
      name: Type.String(),
      turn: nullable(Type.Integer({ description: 'From 0; null if the test couldn’t be run.' })),
      message: Type.String(),
    },
    { title: 'FlowTestFailure' },
  ),
)

export const FlowReview = Type.Object(
  {
    draftRevision: Type.Integer(),
    problems: Type.Array(FlowProblem),
    failures: TestFailures,
  },
  { title: 'FlowReview' },
)
export type FlowReview = Static<typeof FlowReview>

const Counted = { count: Type.Integer() }

export const Backtest = Type.Object(
  {
    days: Type.Integer(),
    messages: Type.Integer({
      description: `First messages of conversations, at most the latest ${BACKTEST_MESSAGES_MAX}.`,
    }),
    examined: Type.Integer({ description: 'Fewer than `messages` if the time was up.' }),
    started: Type.Integer(),
    branches: Type.Array(Type.Object({ stepId: Type.String(), target: Type.String(), ...Counted }), {
      description: 'The first decision that the runs came to.',
    }),
    stops: Type.Array(
      Type.Object({
        stepId: nullable(Type.String()),
        endReason: nullable(Type.String()),
        ...Counted,
      }),
      { description: 'Where the runs stood after the first message.' },
    ),
    overtaken: Type.Array(Type.Object({ flowId: Id, flowName: Type.String(), ...Counted })),
    passedOver: Type.Array(Type.Object({ because: Type.String(), ...Counted })),
    samples: Type.Array(Id, { description: 'The latest conversations in which it would have started.' }),
  },
  { title: 'FlowBacktest' },
)
export type Backtest = Static<typeof Backtest>

export const FunnelQuery = Type.Object({
  version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 90, description: 'Default 30.' })),
})
export type FunnelQuery = Static<typeof FunnelQuery>

export const Funnel = Type.Object(
  {
    versions: Type.Array(Type.Integer(), { description: 'Those that have counts, newest first.' }),
    steps: Type.Array(
      Type.Object({
        stepId: Type.String(),
        outcomes: Type.Record(Type.String(), Type.Integer(), {
          description: 'How often the step came to each outcome, such as asked, answered, invalid or failed.',
        }),
        waiting: Type.Integer({ description: 'Runs that wait there now.' }),
      }),
    ),
    runs: RunCounts,
    medianMs: nullable(
      Type.Integer({ description: 'From start to end, of the latest 1000 runs that completed.' }),
    ),
  },
  { title: 'FlowFunnel' },
)
export type Funnel = Static<typeof Funnel>

export const FlowFile = Type.Object(
  {
    format: Type.Literal('foyer-flow'),
    name: Type.String(),
    definition: Definition,
    tests: Type.Array(ScenarioShape),
    names: Type.Array(Type.Object({ kind: Type.String(), id: Type.String(), name: Type.String() }), {
      description: 'What the definition refers to, so that another workspace finds its own by name.',
    }),
  },
  { title: 'FlowFile' },
)
export type FlowFile = Static<typeof FlowFile>

export const ImportBody = Type.Object(
  {
    file: Type.Unknown({ description: 'What an export wrote, or a definition alone.' }),
    name: Type.Optional(Name(FLOW_NAME_MAX, { description: 'Default: the name in the file.' })),
  },
  { title: 'FlowImport' },
)
export const Imported = Type.Object(
  {
    flowId: Id,
    draftRevision: Type.Integer(),
    problems: Type.Array(FlowProblem, {
      description: 'What the flow refers to and this workspace lacks, step by step.',
    }),
  },
  { title: 'FlowImported' },
)
export type Imported = Static<typeof Imported>
