// The demo's initial content: a few customers of a stoneware shop and their conversations so far.

import { replaceContactTags } from '../domain/contacts/replace-contact-tags.ts'
import { updateContact } from '../domain/contacts/update-contact.ts'
import { assignConversation } from '../domain/conversations/assign-conversation.ts'
import { closeConversation } from '../domain/conversations/set-conversation-status.ts'
import { receiveMessage } from '../domain/messages/receive-messages.ts'
import { sendMessage } from '../domain/messages/send-message.ts'
import { addNote } from '../domain/notes/add-note.ts'
import type { ResolveContactInput } from '../domain/people/resolve-contact.ts'
import { createTag } from '../domain/tags/tags.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { makePastIds, timeOfId } from '../platform/db/id.ts'
import { ensureDemoFlows } from './demo-flows.ts'
import { prepareKnowledge } from './demo-knowledge.ts'
import { createDemoRuns } from './demo-runs.ts'
import type { DemoSandbox } from './sandbox.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export type Unanswered = { answer: () => Promise<void> }
type StoryChannel = 'web' | 'whatsapp' | 'telegram'
type Places = Pick<DemoSandbox, 'channelIds' | 'telegramIdOf'> & { webChannelId: string }

/**
 * Two solved, one of them with flows, one that only a template can reach, one whose reply window closes within the hour,
 * one waiting for more of the answer, three new. Replies that go through a provider wait for `answer`, until there is one.
 */
export const createDemoThreads = async (ctx: Ctx, places: Places): Promise<Unanswered> => {
  const story = await makeStory(ctx, places)
  const { agentId, ago, customer, visitor, onWhatsapp, reply } = story
  const broken = await createTag(ctx, { name: 'Broken on the way', color: '#c2410c' })
  const wholesale = await createTag(ctx, { name: 'Wholesale', color: '#0f766e' })
  await createTag(ctx, { name: 'Press', color: '#6d28d9' })

  const anne = onWhatsapp('Änne Köhler', '+4915123456789')
  await anne(3 * DAY_MS, 'Hallo! Kommt die gesprenkelte Teekanne noch einmal wieder?')

  const ines = visitor('Ines Moreau', 'ines.moreau@example.com', '+33612345678')
  const bowls = await ines(2 * DAY_MS, 'Hello! Two of the soup bowls arrived chipped. My order is 1182.')
  await assignConversation(ago(2 * DAY_MS - 4 * MINUTE_MS), {
    conversationId: bowls.conversationId,
    agentId,
  })
  await reply(
    2 * DAY_MS - 6 * MINUTE_MS,
    bowls.conversationId,
    'I am sorry about that, Ines. Two new ones leave today, and you can keep the chipped ones for the plants.',
  )
  await ines(2 * DAY_MS - 9 * MINUTE_MS, 'That is kind, thank you!')
  await addNote(ago(2 * DAY_MS - 12 * MINUTE_MS), {
    conversationId: bowls.conversationId,
    body: 'Second breakage with this carrier this month.',
  })
  await replaceContactTags(ago(2 * DAY_MS - 12 * MINUTE_MS), bowls.contactId, [broken.id])
  await updateContact(ago(2 * DAY_MS - 12 * MINUTE_MS), bowls.contactId, {
    customFields: { orders: 4, newsletter: true },
  })
  await closeConversation(ago(2 * DAY_MS - 13 * MINUTE_MS), bowls.conversationId)

  const joana = onWhatsapp('Joana Prado', '+5511965432109')
  await joana(23 * HOUR_MS + 10 * MINUTE_MS, 'Hi, does the blue breakfast set come as six pieces, too?')

  const lenasId = places.telegramIdOf('Lena')
  if (lenasId) {
    const lena = customer(
      'telegram',
      { identity: { kind: 'telegram', value: lenasId, verified: true }, name: 'Lena' },
      () => `${lenasId}:1`,
    )
    await lena(9 * HOUR_MS, 'Hey, do you still take seconds back into the kiln? I have a cup with a crack.')
  }

  const tom = visitor('Tom Becker', 'tom.becker@example.com', '+4915112345678')
  const platter = await tom(5 * HOUR_MS, 'Can the large platter go into the oven?')
  await assignConversation(ago(5 * HOUR_MS - 2 * MINUTE_MS), {
    conversationId: platter.conversationId,
    agentId,
  })
  await reply(
    5 * HOUR_MS - 3 * MINUTE_MS,
    platter.conversationId,
    'It can, up to 220 °C. Let it warm up with the oven rather than putting it into a hot one.',
  )
  await tom(4 * HOUR_MS, 'Perfect. And do you ship to Austria?')

  const aoife = visitor('Aoife Byrne', 'aoife.byrne@example.com', '+353851234567')
  const mugs = await aoife(
    20 * MINUTE_MS,
    'Hi, we would like 40 mugs for our office, with our logo on them. Is that something you do?',
  )
  await replaceContactTags(ago(19 * MINUTE_MS), mugs.contactId, [wholesale.id])

  const marcus = onWhatsapp('Marcus Webb', '+16505551234')
  const parcel = await marcus(6 * MINUTE_MS, 'Order 1207 says delivered, but there is nothing at my door 😕')

  // From here on automation reacts: to this customer, and to nobody who wrote before. The AI agent comes as late as the
  // flows, because with it what happens is kept for the conductor, which would start flows for a closing days ago.
  await prepareKnowledge(ctx)
  await ensureDemoFlows(ctx)
  await createDemoRuns(story)

  return {
    answer: async () => {
      await reply(
        0,
        parcel.conversationId,
        'Let me ask the driver, Marcus. Could it be with a neighbour, or behind the side gate?',
      )
    },
  }
}

/** The demo's admin and customers, each able to write at a time in the past. */
const makeStory = async (ctx: Ctx, { channelIds, webChannelId }: Places) => {
  const { account_id: agentId } = await ctx.db
    .selectFrom('memberships')
    .select('account_id')
    .where('workspace_id', '=', ctx.workspaceId)
    .where('role', '=', 'admin')
    .executeTakeFirstOrThrow()
  const startMs = ctx.now().getTime()
  const idAt = makePastIds()
  /** The agent's context at this time in the past, which is also in the ids: lists and reports go by them. */
  const ago = (ms: number): Ctx => ({
    ...ctx,
    now: () => new Date(startMs - ms),
    newId: (after) => idAt(Math.max(startMs - ms, after ? timeOfId(after).getTime() + 1 : 0)),
    createdAt: timeOfId,
    actor: { type: 'agent', accountId: agentId, role: 'admin', permissions: [] },
  })
  const customer =
    (channel: StoryChannel, from: ResolveContactInput, nextId: () => string | null = () => null) =>
    async (agoMs: number, body: string): Promise<{ conversationId: string; contactId: string }> => {
      const at = ago(agoMs)
      return receiveMessage(
        { ...at, actor: { type: 'customer', contactId: null } },
        {
          channel,
          channelAccountId: channel === 'web' ? webChannelId : channelIds[channel],
          from,
          body,
          externalId: nextId(),
          sentAt: at.now(),
        },
      )
    }
  const visitor = (name: string, email: string, phone: string) =>
    customer('web', { identity: { kind: 'email', value: email, verified: false }, name, phone })
  const onWhatsapp = (name: string, phone: string) =>
    customer(
      'whatsapp',
      { identity: { kind: 'whatsapp_id', value: phone.slice(1), verified: true }, name, phone },
      () => `wamid.${ctx.newId()}`,
    )
  const reply = (agoMs: number, conversationId: string, body: string) =>
    sendMessage(ago(agoMs), { conversationId, body })
  return { agentId, ago, customer, visitor, onWhatsapp, reply }
}
