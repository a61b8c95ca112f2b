// Plays a test of the AI agent for real: a workspace of its own, a customer whose messages are received, people who act
// over HTTP, the conductor, the thinker, and a model of the sandbox.
import assert from 'node:assert/strict'
import type { startSandbox } from '../../../../sandbox/sandbox.ts'
import type { TestApp } from '../../../../test/app.ts'
import { until } from '../../../../test/until.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { replaceContactTags } from '../../contacts/replace-contact-tags.ts'
import { updateContact } from '../../contacts/update-contact.ts'
import { assignConversation, unassignConversation } from '../../conversations/assign-conversation.ts'
import { sendMessage } from '../../messages/send-message.ts'
import { listTags } from '../../tags/queries.ts'
import { askForDraft } from '../drafts/drafts.ts'
import { kindOf, type Outcome } from '../evaluation/outcome.ts'
import type { Item, Meanwhile, Scenario, Turn } from '../evaluation/scenario.ts'
import { newAction } from '../evaluation/scenario-action.ts'
import { DEFAULT_GUIDANCE } from '../guidance/default-guidance.ts'
import { setAiStopped, updateAiSettings } from '../settings.ts'
import type { Decision } from '../think.ts'
import { TurnOver } from '../turn/ask-model.ts'
import { takeTurn } from '../turn/take-turn.ts'
import { claimTurn } from '../turn-queries.ts'
import { QUIET_MS, startAssisting } from './assisted.ts'
import { closeBusiness } from './set-up.ts'

type Sandbox = Awaited<ReturnType<typeof startSandbox>>

export const startStage = (
  app: TestApp,
  { sandbox, shop, key }: { sandbox: Sandbox; shop: { url: string }; key: string },
) => {
  const assisting = startAssisting(app)

  const play = async (scenario: Scenario): Promise<Outcome> => {
    sandbox.control.clearModel()
    sandbox.control.scriptModel(scenario.script ?? [])
    const stage = await stageFor(scenario)
    for (const turn of scenario.turns) await take(stage, turn)
    return outcomeOf(stage)
  }

  const stageFor = async (scenario: Scenario): Promise<Stage> => {
    const { channel = 'web', contact = {}, guidance, tags = [], protocol } = scenario
    // What is for a workspace's own model is played by a script of what a good one does.
    const provider = scenario.provider === 'live' ? 'script' : (scenario.provider ?? 'none')
    const own = scenario.knowledge?.filter(({ isElsewhere }) => isElsewhere !== true)
    const foreign = scenario.knowledge?.filter(({ isElsewhere }) => isElsewhere === true) ?? []
    if (foreign.length > 0) await assisting.place({ items: foreign.map(itemOf) })
    const there = await assisting.place({
      channel,
      ...(own && { items: own.map(itemOf) }),
      ...(contact.name !== undefined && { name: contact.name }),
      ...(guidance && { guidance: { ...DEFAULT_GUIDANCE, ...guidance } }),
      tags: [...new Set([...tags, ...(contact.tags ?? [])])],
      opened: tags,
      actions: scenario.actions?.map((action) => newAction(action, shop.url)) ?? [],
      ...(provider !== 'none' && {
        model: { url: sandbox.url, key, name: `sandbox-${provider}`, ...(protocol && { kind: protocol }) },
      }),
    })
    if (scenario.settings) await updateAiSettings(there.ctx, scenario.settings)
    if (scenario.hours === 'closed') await closeBusiness(app, there.workspaceId)
    return { app, assisting, there, scenario, control: sandbox.control, person: null, isKnown: false }
  }

  return { ...assisting, play }
}

const itemOf = ({ text, onlyFor, isElsewhere: _, ...item }: Item) => ({
  ...item,
  body: text,
  ...(onlyFor && { audience: onlyFor }),
})

type Assisting = ReturnType<typeof startAssisting>
type There = Awaited<ReturnType<Assisting['place']>>

type Stage = {
  app: TestApp
  assisting: Assisting
  there: There
  scenario: Scenario
  control: Sandbox['control']
  /** The id of the person of the team, once one has done something. */
  person: string | null
  /** Whether the contact has what the scenario says of it. */
  isKnown: boolean
}

const take = async (stage: Stage, turn: Turn): Promise<void> => {
  const { assisting, there, control } = stage
  const { pass, settle, thinker } = assisting
  if ('customer' in turn) {
    for (const body of [turn.customer].flat()) await write(stage, body, turn.file)
    if (turn.meanwhile) await interrupt(stage, turn.meanwhile)
    else await settle()
    await finishCalls(stage)
  } else if ('tap' in turn) {
    await there.taps(turn.tap)
    await settle()
    await finishCalls(stage)
  } else if ('passMs' in turn) await pass(turn.passMs)
  else if ('fails' in turn)
    // The sandbox refuses what isn't a fault of its.
    control.addModelFault({ kind: turn.fails as 'server', ...(turn.times && { times: turn.times }) })
  else if ('draft' in turn) {
    await askForDraft(await asPerson(stage), there.conversationId())
    await thinker.thinkDue()
  } else {
    await act(stage, turn)
    await settle()
  }
}

const listCalls = ({ app, there }: Pick<Stage, 'app' | 'there'>): Promise<{ state: string }[]> =>
  app.db.selectFrom('action_calls').select('state').where('workspace_id', '=', there.workspaceId).execute()

/** What was confirmed is called by a worker of its own. */
const finishCalls = async (stage: Stage): Promise<void> => {
  if (!stage.scenario.actions) return
  await until(
    async () => (await listCalls(stage)).every(({ state }) => state === 'ended'),
    'the calls to end',
  )
  await stage.assisting.conductor.conductDue()
}

const act = async (stage: Stage, does: Meanwhile): Promise<void> => {
  const { there, assisting } = stage
  const conversationId = there.conversationId()
  if ('customer' in does) await write(stage, does.customer)
  else if ('person' in does) await sendMessage(await asPerson(stage), { conversationId, body: does.person })
  else if ('program' in does) await there.send('POST', '/messages', { body: does.program })
  else if ('close' in does) await there.send('POST', '/close')
  else if ('stop' in does) await setAiStopped(there.ctx, { isStopped: true })
  else if (does.assign === 'nobody') await unassignConversation(await asPerson(stage), { conversationId })
  else {
    const agentId = does.assign === 'ai' ? 'ai' : await personId(stage)
    await assignConversation(await asPerson(stage), { conversationId, agentId })
  }
  await assisting.conductor.conductDue()
}

const write = async (stage: Stage, body: string, file?: string): Promise<void> => {
  const { there, assisting, scenario } = stage
  const isMail = scenario.channel === 'email'
  await there.writes(body, {
    metadata: isMail
      ? { senderVerification: scenario.identity === 'claimed' ? 'unverified' : 'verified' }
      : null,
    ...(file !== undefined && {
      attachments: [
        { type: 'file', name: file, mimeType: 'application/pdf', size: 1, state: 'inline', source: {} },
      ],
    }),
  })
  if (stage.isKnown) await assisting.conductor.conductDue()
  else await introduce(stage)
}

/** What is known of the customer, before anything is thought about them. */
const introduce = async (stage: Stage): Promise<void> => {
  const { app, there, scenario } = stage
  const { ctx, workspaceId } = there
  const { contact = {}, subject } = scenario
  stage.isKnown = true
  const { id } = (await there.send('GET', '')).body.conversation.contact
  if (contact.fields) await updateContact(ctx, id, { customFields: contact.fields })
  if (contact.country !== undefined)
    await app.db
      .updateTable('contacts')
      .set({ country_iso: contact.country })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .execute()
  if (contact.tags) {
    const tags = await listTags(ctx)
    const ids = tags.filter(({ name }) => contact.tags!.includes(name)).map((tag) => tag.id)
    await replaceContactTags(ctx, id, ids)
  }
  if (subject !== undefined)
    await app.db
      .updateTable('conversations')
      .set({ subject })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', there.conversationId())
      .execute()
  if (scenario.isUnassigned !== true) await there.assign('ai')
}

/** The act comes after a worker has the turn, or after it has thought. */
const interrupt = async (
  stage: Stage,
  { while: phase, does }: { while: 'thinking' | 'thought'; does: Meanwhile },
): Promise<void> => {
  const { there, assisting } = stage
  await assisting.pass(QUIET_MS)
  const waiting = (await there.turns()).find(({ state }) => state === 'waiting')
  const turn = waiting && (await claimTurn(there.ctx, waiting.id))
  assert.ok(turn, 'there is no turn to interrupt')
  if (phase === 'thought') await takeTurn(there.ctx, turn)
  await act(stage, does)
  if (phase === 'thinking') await takeTurn(there.ctx, turn).catch(ignoreTurnOver)
  await assisting.settle()
}

const ignoreTurnOver = (error: unknown): void => {
  if (!(error instanceof TurnOver)) throw error
}

const personId = async (stage: Stage): Promise<string> => {
  stage.person ??= (await stage.app.make.agent(stage.there.workspaceId, { role: 'admin' })).id
  return stage.person
}

const asPerson = async (stage: Stage): Promise<Ctx> => ({
  ...stage.there.ctx,
  actor: { type: 'agent', accountId: await personId(stage), role: 'admin', permissions: [] },
})

/** Of a message or a line of the agent. */
type Said = { handedOver?: NonNullable<Outcome['reason']>; sources?: { title: string }[] }

const outcomeOf = async ({ app, there, control, person }: Stage): Promise<Outcome> => {
  const rows = await there.messages()
  const said = rows.flatMap(({ metadata }) => (metadata?.ai ? [metadata.ai as Said] : []))
  const turns = await there.turns()
  const decided = turns.findLast(({ decision, outcome }) => decision && outcome !== 'discarded')
  const contact = await there.contact()
  const agentId = await there.agentId()
  const drafts = await app.db
    .selectFrom('reply_drafts')
    .select('text')
    .where('workspace_id', '=', there.workspaceId)
    .orderBy('id')
    .execute()
  const proposals = await app.db
    .selectFrom('ai_proposals')
    .select('state')
    .where('workspace_id', '=', there.workspaceId)
    .orderBy('id')
    .execute()
  return {
    calls: (await listCalls({ app, there })).length,
    proposal: proposals.at(-1)?.state ?? 'none',
    has: agentId === null ? 'team' : agentId === person ? 'person' : 'ai',
    reason: said.findLast(({ handedOver }) => handedOver)?.handedOver ?? null,
    decision: decided ? kindOf(decided.decision as Decision) : null,
    messages: rows.filter((row) => row.sender_type === 'agent' && row.metadata?.ai).map(({ body }) => body),
    drafts: drafts.map(({ text }) => text),
    notes: await there.notes(),
    sources: said.findLast(({ handedOver }) => !handedOver)?.sources?.map(({ title }) => title) ?? [],
    fields: contact.customFields as Record<string, unknown>,
    tags: contact.tags,
    requests: control.modelCalls().map(({ body }) => JSON.stringify(body)),
  }
}
