// The demo's live flows: a welcome menu on the website and on WhatsApp, a reply to mail that comes out of hours, and a
// rating after closing. Made from the ready flows, for the demo's shop.
import type { Scenario } from '../../flow-engine/scenario.ts'
import type { FlowDefinition, Step } from '../../flow-engine/schema.ts'
import { OUT_OF_HOURS } from '../../flow-engine/templates/out-of-hours.ts'
import { SATISFACTION } from '../../flow-engine/templates/satisfaction.ts'
import { type FlowTemplate, fillTemplate } from '../../flow-engine/templates/template.ts'
import { WELCOME_MENU } from '../../flow-engine/templates/welcome-menu.ts'
import { createFlow } from '../domain/flows/edit-flow.ts'
import { addFlowTest } from '../domain/flows/flow-tests.ts'
import { publishFlow } from '../domain/flows/publish-flow.ts'
import { createTag } from '../domain/tags/tags.ts'
import { actorId } from '../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../platform/ctx/ctx.ts'
import { SHOP } from './sandbox-accounts.ts'

type Channels = NonNullable<FlowDefinition['triggers'][number]['channels']>

const NOTE = 'Part of the demo'

/**
 * Creates the flows in a workspace that has none, and publishes those that an interrupted start left behind. People who
 * delete or pause them keep it that way. The actor is the operator, so that drafts of people are left alone.
 */
export const ensureDemoFlows = async (ctx: Ctx): Promise<void> => {
  const { id } =
    (await ctx.db
      .selectFrom('flows')
      .select('id')
      .where('workspace_id', '=', ctx.workspaceId)
      .limit(1)
      .executeTakeFirst()) ?? {}
  if (id === undefined) await inTransaction(ctx, createFlows)
  const unpublished = await ctx.db
    .selectFrom('flows')
    .select(['id', 'draft_revision as revision'])
    .where('workspace_id', '=', ctx.workspaceId)
    .where('live_version', 'is', null)
    .where('updated_by', '=', actorId(ctx.actor))
    .orderBy('position')
    .execute()
  for (const { id: flowId, revision } of unpublished)
    await publishFlow(ctx, { flowId, revision, note: NOTE, acceptWarnings: true })
}

const createFlows = async (ctx: Ctx): Promise<void> => {
  const tag = await createTag(ctx, { name: 'Out of hours', color: '#475569' })
  // Tried in this order.
  const flows: [FlowTemplate, Channels | null][] = [
    [OUT_OF_HOURS, ['email']],
    [withAgent(WELCOME_MENU), ['web', 'whatsapp']],
    [SATISFACTION, null],
  ]
  for (const [template, channels] of flows) {
    const { definition, tests } = forTheShop(
      fillTemplate(template, { 'need:out-of-hours': tag.id }),
      channels,
    )
    const { flow } = await createFlow(ctx, { name: template.name, definition })
    for (const scenario of tests) await addFlowTest(ctx, flow.id, scenario)
  }
}

/** Questions go to the AI agent: those that were asked for, and what is typed instead of a choice. */
const withAgent = (template: FlowTemplate): FlowTemplate => {
  const { blocks } = template.definition
  const [menu] = blocks.welcome!.steps
  return {
    ...template,
    definition: {
      ...template.definition,
      blocks: {
        ...blocks,
        welcome: {
          ...blocks.welcome!,
          steps: [
            { ...menu!, note: 'Whatever else customers type is for the AI agent.', retry: TO_AI } as Step,
          ],
        },
        question: { ...blocks.question!, next: 'ai' },
      },
    },
    tests: [toAi(template.tests[0]), toAi(template.tests[1])],
  }
}

const toAi = (test: Scenario): Scenario => ({
  ...test,
  turns: test.turns.map((turn) =>
    'expect' in turn && turn.expect.endReason === 'handed_over'
      ? { expect: { endReason: 'assigned_to_ai', assigned: 'ai' } }
      : turn,
  ),
})

// biome-ignore lint/suspicious/noThenProperty: that is its name in definitions
const TO_AI = { times: 0, then: 'ai' }

type Filled = { definition: FlowDefinition; tests: Scenario[] }

/** The workspace is called Demo, its shop isn't. */
const forTheShop = (filled: Filled, channels: Channels | null): Filled => {
  const { definition, tests } = JSON.parse(
    JSON.stringify(filled).replaceAll('{{workspace.name}}', SHOP),
  ) as Filled
  const triggers = definition.triggers.map((trigger) => (channels ? { ...trigger, channels } : trigger))
  return { definition: { ...definition, triggers }, tests }
}
