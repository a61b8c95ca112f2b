import Type, { type Static } from 'typebox'
import { TEST_RUN_STATES, TEST_STATES, TESTED_GUIDANCE } from '../../../platform/db/tables.ts'
import { Id, Moment, nullable } from '../../schema.ts'
import { OwnTest } from './own-test-schema.ts'

export const TEST_ID_MAX = 240
const CHOSEN_MAX = 500

export const OwnTestParams = Type.Object({ testId: Type.String({ minLength: 1, maxLength: 40 }) })
/** Those that come with Foyer are named by their kind and name, which is no id. */
export const TestParams = Type.Object({ test: Type.String({ minLength: 1, maxLength: TEST_ID_MAX }) })
export const TestRemoved = Type.Object({ success: Type.Literal(true) })
export const RunParams = Type.Object({ runId: Type.String({ minLength: 1, maxLength: 40 }) })

const Latest = nullable(
  Type.Object({
    state: Type.Enum(TEST_STATES.filter((state) => state !== 'waiting')),
    at: Moment,
    isCurrent: Type.Boolean({
      description: 'Neither the test, the instructions nor the model have changed since.',
    }),
  }),
)

const ListedTest = Type.Object(
  {
    id: Type.String(),
    isOwn: Type.Boolean({ description: 'false: it comes with Foyer.' }),
    kind: nullable(Type.String({ description: 'Of one that comes with Foyer.' })),
    name: Type.String(),
    live: Latest,
    draft: Latest,
    change: nullable(
      Type.Enum(['worse', 'better', 'same'], {
        description: 'With the draft, compared to what is live. null: they can’t be compared.',
      }),
    ),
  },
  { title: 'ListedAiTest' },
)
export type ListedTest = Static<typeof ListedTest>

export const TestRun = Type.Object(
  {
    id: Id,
    state: Type.Enum([...TEST_RUN_STATES]),
    guidance: Type.Array(Type.Enum([...TESTED_GUIDANCE])),
    total: Type.Integer(),
    done: Type.Integer(),
    passed: Type.Integer(),
    failed: Type.Integer(),
    skipped: Type.Integer({ description: 'Not tried: neither passed nor failed.' }),
    startedBy: Type.Object({ id: Type.String(), name: Type.String() }),
    startedAt: Moment,
    endedAt: nullable(Moment),
  },
  { title: 'AiTestRun' },
)
export type TestRun = Static<typeof TestRun>

export const TestList = Type.Object(
  {
    tests: Type.Array(ListedTest),
    run: nullable(TestRun),
    hasModel: Type.Boolean({ description: 'The workspace has a language model that can be used.' }),
    hasDraft: Type.Boolean({ description: 'The draft of the instructions differs from what is live.' }),
  },
  { title: 'AiTestList' },
)
export type TestList = Static<typeof TestList>

export const RunBody = Type.Object(
  {
    guidance: Type.Array(Type.Enum([...TESTED_GUIDANCE]), { minItems: 1, maxItems: 2, uniqueItems: true }),
    testIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: TEST_ID_MAX }), {
        minItems: 1,
        maxItems: CHOSEN_MAX,
        uniqueItems: true,
        description: 'Default: all of them.',
      }),
    ),
  },
  { title: 'AiTestRunBody' },
)
export type RunBody = Static<typeof RunBody>

export const RunAnswer = Type.Object({ run: TestRun })

export const TestResult = Type.Object(
  {
    state: Type.Enum(TEST_STATES.filter((state) => state !== 'waiting')),
    checks: Type.Array(
      Type.Object({ expected: Type.String(), happened: Type.String(), isMet: Type.Boolean() }),
    ),
    said: Type.Array(Type.String(), { description: 'What the customer would have got.' }),
    skipped: nullable(Type.String({ description: 'Why it wasn’t tried.' })),
    version: nullable(Type.Integer({ description: 'Of the instructions; null: a draft, or none was live.' })),
    model: nullable(Type.String()),
    at: Moment,
    isCurrent: Type.Boolean(),
  },
  { title: 'AiTestResult' },
)
export type TestResult = Static<typeof TestResult>

export const TestDetails = Type.Object(
  {
    test: Type.Object({
      id: Type.String(),
      name: Type.String(),
      own: nullable(OwnTest),
      customer: Type.Array(Type.String(), { description: 'What the customer writes and taps.' }),
    }),
    live: nullable(TestResult),
    draft: nullable(TestResult),
  },
  { title: 'AiTestDetails' },
)
export type TestDetails = Static<typeof TestDetails>

export const DraftReview = Type.Object(
  {
    worse: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
      description: 'Tests that pass with what is live and fail with the draft.',
    }),
    isOutdated: Type.Boolean({ description: 'Drafts were tested before, but not as this one is now.' }),
  },
  { title: 'AiDraftReview' },
)
export type DraftReview = Static<typeof DraftReview>
