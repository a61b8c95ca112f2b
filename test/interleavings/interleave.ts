// Conversations in which customers, people, programs, the AI agent, timers, closings and merges meet at random, while
// workers are killed. What the provider was asked for and what the database says afterwards tells whether automation ever talked
// over a person, lost a message or said something twice.
import { setTimeout as delay } from 'node:timers/promises'
import type { FlowDefinition } from '../../flow-engine/schema.ts'
import { setAiAgent } from '../../server/domain/agents/set-ai-agent.ts'
import { updateAiSettings } from '../../server/domain/ai/settings.ts'
import { type Setup, setUp } from '../../server/domain/ai/testing/set-up.ts'
import { assignConversation } from '../../server/domain/conversations/assign-conversation.ts'
import { giveBack } from '../../server/domain/conversations/control-automation.ts'
import { closeConversation } from '../../server/domain/conversations/set-conversation-status.ts'
import { saveAnswer } from '../../server/domain/knowledge/answers.ts'
import { receiveMessage, receiveMessages } from '../../server/domain/messages/receive-messages.ts'
import { sendMessage } from '../../server/domain/messages/send-message.ts'
import { sendOrHoldReply } from '../../server/domain/outbox/hold-message.ts'
import { undoSend } from '../../server/domain/outbox/send-held.ts'
import { mergeContacts } from '../../server/domain/people/merge-contacts.ts'
import { resolveContact } from '../../server/domain/people/resolve-contact.ts'
import { connect, type startGraph } from '../../server/inbound/whatsapp/testing/provider.ts'
import type { Actor } from '../../server/platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../server/platform/ctx/ctx.ts'
import { isOutage } from '../../server/platform/db/failures.ts'
import { ApiError } from '../../server/platform/errors.ts'
import type { TestApp } from '../app.ts'
import { makeFlow } from '../make-flow.ts'
import type { Random } from './random.ts'

/** Asks, repeats the answer, and asks again; once it asks whether the customer is still there. */
const PARROT: FlowDefinition = {
  schema: 1,
  kind: 'dialog',
  language: 'en',
  triggers: [{ on: 'message' }],
  variables: { said: { type: 'text' } },
  start: 'hello',
  blocks: {
    hello: { steps: [{ id: 'h', type: 'send', text: 'Hello {{message.text}}' }], next: 'ask' },
    ask: {
      steps: [
        {
          id: 'a',
          type: 'ask',
          answer: 'text',
          text: 'More than {{message.text}}?',
          store: 'run.said',
          timeout: { after: 'PT2S', then: 'late' },
        },
      ],
      next: 'echo',
    },
    late: {
      steps: [{ id: 'l', type: 'ask', answer: 'text', text: 'Still {{message.text}}?', store: 'run.said' }],
      next: 'echo',
    },
    echo: { steps: [{ id: 'e', type: 'send', text: 'Echo {{run.said}}' }], next: 'ask' },
  },
}

/** What the AI agent knows. */
const ANSWER = {
  title: 'Opening hours',
  language: 'en',
  body: 'From nine to five.',
  phrasings: ['When are you open?'],
}

export type Place = {
  workspaceId: string
  ctx: Ctx
  person: Ctx
  program: Ctx
  channelAccountId: string
  /** The AI agent takes every conversation, with a model. */
  hasModel: boolean
}

/** A workspace with its own number, on which the flow is live, or the AI agent with a model. */
export const makePlace = async (
  app: TestApp,
  graph: Awaited<ReturnType<typeof startGraph>>,
  { index, model }: { index: number; model?: Setup['model'] },
): Promise<Place> => {
  const { id: workspaceId } = await app.make.workspace()
  const channelAccountId = await connect(app, workspaceId, {
    phoneNumber: `+1555078${3000 + index}`,
    phoneNumberId: `10654035224${2000 + index}`,
    apiUrl: graph.url,
  })
  await setAiAgent(app.ctxOf(workspaceId), { isEnabled: true })
  if (model) {
    await setUp(app, workspaceId, { model })
    await updateAiSettings(app.ctxOf(workspaceId), { speaking: { whatsapp: { mode: 'new' } } })
  } else await makeFlow(app, workspaceId, { definition: PARROT })
  await saveAnswer(app.ctxOf(workspaceId), null, ANSWER)
  const anna = await app.make.agent(workspaceId, { role: 'admin' })
  const as = (actor: Actor): Ctx => ({ ...app.ctxOf(workspaceId), actor })
  return {
    workspaceId,
    channelAccountId,
    ctx: app.ctxOf(workspaceId),
    person: as({ type: 'agent', accountId: anna.id, role: 'admin', permissions: [] }),
    program: as({ type: 'token', tokenId: 'token' }),
    hasModel: model !== undefined,
  }
}

export type Played = {
  conversationId: string
  /** What the customer wrote, in order. */
  heard: string[]
  /** Nobody but the customer, programs and timers took part. */
  isUndisturbed: boolean
  hasModel: boolean
}

/** More would look like a flood to the loop guards. */
const CUSTOMER_MESSAGES_MAX = 4
const ACTS = { min: 4, max: 9 }
const PAUSES_MS = [0, 0, 5, 20, 60, 150, 400, 2_200]
/** Acts begin before the one before has ended, this often. */
const OVERLAPS = 0.5

/** Plays one conversation, whose parts all follow from the random numbers. `name` is unique. */
export const playConversation = async (
  { ctx, person, program, channelAccountId, hasModel }: Place,
  name: string,
  random: Random,
): Promise<Played> => {
  const number = `49${170_000_000 + Number(name)}`
  const from = {
    identity: { kind: 'whatsapp_id' as const, value: number, verified: true },
    name: `Customer ${name}`,
  }
  const played: Played = { conversationId: '', heard: [], isUndisturbed: true, hasModel }
  let contactId = ''
  let count = 0
  let begun = 0

  const writes = async (): Promise<void> => {
    if (begun++ >= CUSTOMER_MESSAGES_MAX) return
    const body = `c${name}n${++count}`
    const received = await receiveMessage(ctx, {
      channel: 'whatsapp',
      channelAccountId,
      from,
      body: hasModel ? `${ANSWER.phrasings[0]} ${body}` : body,
      externalId: `wamid.${body}`,
      sentAt: ctx.now(),
    })
    played.heard.push(body)
    played.conversationId = received.conversationId
    contactId = received.contactId
  }
  const tells = async (): Promise<void> => {
    played.isUndisturbed = false
    const body = `p${name}n${++count}`
    await sendMessage(person, { conversationId: played.conversationId, body })
  }
  const holds = (): Promise<void> => {
    played.isUndisturbed = false
    return holdReply(
      { ctx, person },
      { conversationId: played.conversationId, body: `h${name}n${++count}` },
      random,
    )
  }
  const tellsByPhone = (): Promise<void> => {
    played.isUndisturbed = false
    const body = `e${name}n${++count}`
    return inTransaction(ctx, async (ctx) => {
      const contact = await resolveContact(ctx, from)
      const echo = { channelAccountId, contact, direction: 'outbound' as const, body, sentAt: ctx.now() }
      await receiveMessages(ctx, 'whatsapp', [
        { ...echo, senderId: `phone:${channelAccountId}`, externalId: `wamid.${body}` },
      ])
    })
  }
  const disturb = (work: () => Promise<unknown>) => async (): Promise<void> => {
    played.isUndisturbed = false
    await work()
  }
  const merges = disturb(async () => {
    const body = `t${name}n${++count}`
    contactId = await mergeTwin({ ctx, channelAccountId }, { number: `${number}9`, body, contactId }, random)
  })
  const agentId = person.actor.type === 'agent' ? person.actor.accountId : ''
  const acts: (() => Promise<void>)[] = [
    ...Array.from({ length: 7 }, () => writes),
    ...Array.from({ length: 3 }, () => tells),
    ...Array.from({ length: 3 }, () => holds),
    tellsByPhone,
    disturb(() => closeConversation(person, played.conversationId)),
    disturb(() => closeConversation(program, played.conversationId)),
    disturb(() => assignConversation(person, { conversationId: played.conversationId, agentId })),
    ...Array.from({ length: 2 }, () =>
      disturb(() => assignConversation(person, { conversationId: played.conversationId, agentId: 'ai' })),
    ),
    disturb(() => giveBack(person, played.conversationId)),
    disturb(() => giveBack(person, played.conversationId)),
    merges,
    async () => {
      const body = `a${name}n${++count}`
      await sendMessage(program, { conversationId: played.conversationId, body })
    },
  ]
  await doneAtLast(writes)
  const underWay: Promise<void>[] = []
  const quiet = random.next() < 0.35
  for (let left = ACTS.min + random.below(ACTS.max - ACTS.min); left > 0; left--) {
    await delay(PAUSES_MS[random.below(PAUSES_MS.length)]!)
    const act = quiet ? writes : acts[random.below(acts.length)]!
    const acting = doneAtLast(act)
    underWay.push(acting)
    if (random.next() >= OVERLAPS) await acting
  }
  await Promise.all(underWay)
  return played
}

/** Somebody writes from another number, and turns out to be the same person. Returns the contact that is left. */
const mergeTwin = async (
  { ctx, channelAccountId }: Pick<Place, 'ctx' | 'channelAccountId'>,
  { number, body, contactId }: { number: string; body: string; contactId: string },
  random: Random,
): Promise<string> => {
  const other = await receiveMessage(ctx, {
    channel: 'whatsapp',
    channelAccountId,
    from: { identity: { kind: 'whatsapp_id', value: number, verified: true }, name: 'Twin' },
    body,
    externalId: `wamid.${body}`,
    sentAt: ctx.now(),
  })
  const ids = [contactId, other.contactId] as const
  const [keptId, goneId] = random.next() < 0.5 ? ids : [ids[1], ids[0]]
  if (keptId === goneId) return contactId
  await mergeContacts(ctx, keptId, goneId)
  return keptId
}

/** A person presses Send, and takes it back now and then, if it isn't too late. */
const holdReply = async (
  { ctx, person }: Pick<Place, 'ctx' | 'person'>,
  { conversationId, body }: { conversationId: string; body: string },
  random: Random,
): Promise<void> => {
  const seenMessageId = await findNewest(ctx, conversationId)
  const answer = await sendOrHoldReply(person, { conversationId, body, undoSeconds: 5, seenMessageId })
  if (!('held' in answer)) return
  await shorten(ctx, answer.held.id, random.below(HELD_MAX_MS))
  if (random.next() >= UNDONE) return
  await delay(random.below(HELD_MAX_MS))
  await undoSend(person, answer.held.id)
}

/** Shorter than for people, who have five seconds at least to undo what they send. */
const HELD_MAX_MS = 800
const UNDONE = 0.5

const shorten = async ({ db, now }: Ctx, heldId: string, ms: number): Promise<void> => {
  const due_at = new Date(now().getTime() + ms)
  await db.updateTable('held_messages').set({ due_at }).where('id', '=', heldId).execute()
}

const findNewest = async ({ db, workspaceId }: Ctx, conversationId: string): Promise<string | null> => {
  const newest = await db
    .selectFrom('messages')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('conversation_id', '=', conversationId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return newest?.id ?? null
}

const TRIES_MAX = 20
const AGAIN_MS = 250

/** As clients do: what a busy database refused didn't happen, and is done again. */
const doneAtLast = async (act: () => Promise<void>): Promise<void> => {
  for (let tries = 1; ; tries++)
    try {
      await act()
      return
    } catch (error) {
      if (isRefusal(error)) return
      if (tries === TRIES_MAX || !isOutage(error)) throw error
      await delay(AGAIN_MS)
    }
}

/** A merge and a closing may meet: the other contact or conversation is gone then. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError ||
  (error instanceof Error && error.message === 'one of the contacts to merge is not there')
