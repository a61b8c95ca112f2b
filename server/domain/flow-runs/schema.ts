import Type, { type Static } from 'typebox'
import { PAGE_DEFAULT, PAGE_MAX } from '../../platform/db/pagination.ts'
import { Id, Moment, nullable } from '../schema.ts'

export const RUN_STATUSES = ['running', 'completed', 'failed', 'cancelled'] as const
export const RunStatus = Type.Enum([...RUN_STATUSES], {
  description: 'Waiting is a part of running.',
})
export type RunStatus = Static<typeof RunStatus>

/** Steps of a run that its page shows. */
export const STEPS_SHOWN_MAX = 500

const run = {
  id: Id,
  flowId: Id,
  flowName: Type.String(),
  version: nullable(Type.Integer()),
  contactId: Id,
  conversationId: nullable(Id),
  status: RunStatus,
  endReason: nullable(Type.String({ description: 'Why it ended, as a code.', examples: ['handed_over'] })),
  endMessage: nullable(
    Type.String({ description: 'The same in words.', examples: ['Handed over to the team'] }),
  ),
  isTest: Type.Boolean({ description: 'Started to try a flow out; not counted.' }),
  waiting: nullable(
    Type.Object(
      {
        for: Type.String({ description: '`reply`, `time`, `call`, `ai` or `part`.' }),
        stepId: nullable(Type.String()),
        until: nullable(Moment),
      },
      { title: 'FlowRunWait' },
    ),
  ),
  stepsTaken: Type.Integer(),
  messagesSent: Type.Integer(),
  startedAt: Moment,
  completedAt: nullable(Moment),
}

const RUN_EXAMPLE = {
  id: 'cmi8q2f5c000lr2x8b3c4d5ef',
  flowId: 'cmi8q2f5c000kf1w7a2b3c4de',
  flowName: 'Welcome menu',
  version: 3,
  contactId: 'cmi8q2f5c0000x7h2k9d3m1vb',
  conversationId: 'cmi8q2f5c0003j9s5t7u1w2xy',
  status: 'running' as const,
  endReason: null,
  endMessage: null,
  isTest: false,
  waiting: { for: 'reply', stepId: 's2', until: '2026-11-21T13:30:00.000Z' },
  stepsTaken: 2,
  messagesSent: 1,
  startedAt: '2026-11-21T09:30:00.000Z',
  completedAt: null,
}

export const FlowRun = Type.Object(run, { title: 'FlowRunSummary' })
export type FlowRun = Static<typeof FlowRun>

export const FlowRunsQuery = Type.Object({
  flowId: Type.Optional(Type.String({ description: 'Only runs of this flow.' })),
  conversationId: Type.Optional(Type.String({ description: 'Only runs in this conversation.' })),
  contactId: Type.Optional(Type.String({ description: 'Only runs for this contact.' })),
  status: Type.Optional(RunStatus),
  cursor: Type.Optional(Type.String({ description: 'The nextCursor of the previous page.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PAGE_MAX, description: `Default ${PAGE_DEFAULT}.` }),
  ),
})
export type FlowRunsQuery = Static<typeof FlowRunsQuery>

export const FlowRunList = Type.Object(
  {
    runs: Type.Array(FlowRun, { description: 'Newest first.' }),
    nextCursor: nullable(Type.String()),
  },
  { title: 'FlowRunList', examples: [{ runs: [RUN_EXAMPLE], nextCursor: null }] },
)
export type FlowRunList = Static<typeof FlowRunList>

export const FlowRunParams = Type.Object({ runId: Id })

const RunStep = Type.Object(
  {
    seq: Type.Integer(),
    stepId: nullable(Type.String()),
    type: nullable(Type.String()),
    outcome: Type.String({ examples: ['asked'] }),
    detail: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
    messageId: nullable(Id),
    createdAt: Moment,
  },
  { title: 'FlowRunStep' },
)

export const FlowRunAnswer = Type.Object(
  {
    run: Type.Object(
      {
        ...run,
        variables: Type.Unsafe<Record<string, unknown>>({
          type: 'object',
          additionalProperties: true,
          description: 'What the run collected. Private variables are left out.',
        }),
        cause: Type.Unsafe<object | null>({
          type: ['object', 'null'],
          additionalProperties: true,
          description: 'What started it: `on` and `by`, and in `passedOver` the flows that were not started.',
        }),
        steps: Type.Array(RunStep, {
          description: `In order; the first ${STEPS_SHOWN_MAX}. Kept for 90 days.`,
        }),
      },
      { title: 'FlowRunWithSteps' },
    ),
  },
  {
    title: 'FlowRunAnswer',
    examples: [
      {
        run: {
          ...RUN_EXAMPLE,
          variables: { topic: 'order' },
          cause: { on: 'message', by: 'customer', passedOver: [] },
          steps: [
            {
              seq: 1,
              stepId: 's1',
              type: 'ask',
              outcome: 'asked',
              detail: {},
              messageId: 'cmi8q2f5c0004k1t6u8v2x3yz',
              createdAt: '2026-11-21T09:30:00.000Z',
            },
          ],
        },
      },
    ],
  },
)
export type FlowRunAnswer = Static<typeof FlowRunAnswer>

export const StartRunBody = Type.Object(
  {
    conversationId: Type.Optional(Type.String({ description: 'Where it runs.' })),
    contactId: Type.Optional(
      Type.String({ description: 'It runs in the latest conversation of this contact.' }),
    ),
    variables: Type.Optional(
      Type.Unsafe<Record<string, string | number | boolean | null | string[]>>({
        type: 'object',
        maxProperties: 50,
        propertyNames: { type: 'string', maxLength: 64 },
        additionalProperties: {
          anyOf: [
            { type: 'string', maxLength: 500 },
            { type: 'number' },
            { type: 'boolean' },
            { type: 'null' },
            { type: 'array', maxItems: 50, items: { type: 'string', maxLength: 500 } },
          ],
        },
        description: 'Values for the variables that the flow declares; others are ignored.',
      }),
    ),
  },
  {
    title: 'StartFlowRun',
    description: 'Exactly one of conversationId and contactId is required.',
    exactlyOneOf: ['conversationId', 'contactId'],
    examples: [{ conversationId: 'cmi8q2f5c0003j9s5t7u1w2xy', variables: { order: 'AB-12345' } }],
  },
)
