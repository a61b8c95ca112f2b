import type { OutboundTemplate } from '../../../channels/channel.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { planByIndex } from '../../platform/db/plan-by-index.ts'
import type { LockedConversation } from '../conversations/queries.ts'
import { type Claim, claimAgain, listBusyConversations } from '../deliveries/delivery-queries.ts'
import { appendMessages, type MessageContent } from '../messages/append-messages.ts'
import { endTurns } from '../recipients/recipient-queries.ts'
import { announce, settleRecipients } from '../recipients/settle-recipients.ts'
import {
  listThreads,
  lockReached,
  lockTurns,
  type Reached,
  setNotBefore,
  setSending,
  type Turn,
} from '../recipients/turn-queries.ts'
import { showHeaderFile, templateFileOf } from '../templates/header-file.ts'
import { isHeld } from './plan-queries.ts'
import { type Part, touchPart } from './queries.ts'

/** A recipient whose message is stored and claimed: the caller now hands it to the provider. */
export type ReadySend = { claim: Claim; template: OutboundTemplate; to: Reached }

/** If an earlier message still waits in the conversation, this one is retried after this time. */
const BEHIND_MS = 3_000

/**
 * Takes the next recipients of a part and stores and claims their messages in one transaction, so that if a worker dies
 * after it, its claims show what was under way. Skips people who opted out meanwhile, and postpones those with an
 * earlier message waiting. `last` is the position of the walk; undefined at its end.
 */
export const takeTurns = (
  ctx: Ctx,
  part: Part,
  { after, limit }: { after: string; limit: number },
): Promise<{ ready: ReadySend[]; last: string | undefined }> =>
  inTransaction(ctx, async (ctx) => {
    await planByIndex(ctx.db)
    await touchPart(ctx, part)
    if (await isHeld(ctx, part.broadcastId)) return { ready: [], last: undefined }
    const turns = await lockTurns(ctx, part, { after, limit })
    if (turns.length === 0) return { ready: [], last: undefined }
    const contactIds = turns.map(({ contactId }) => contactId)
    const people = new Map((await lockReached(ctx, contactIds)).map((person) => [person.contactId, person]))
    const again = await takeAgain(ctx, part, turns, people)
    const fresh = await takeFresh(
      ctx,
      part,
      turns.filter(({ messageId }) => messageId === null),
      people,
    )
    return { ready: [...again, ...fresh], last: contactIds.at(-1) }
  })

type People = ReadonlyMap<string, Reached>

/** Messages that already exist from an earlier attempt. */
const takeAgain = async (
  ctx: Ctx,
  part: Part,
  turns: readonly Turn[],
  people: People,
): Promise<ReadySend[]> => {
  const waiting = new Map(
    turns.flatMap(({ messageId, contactId }) => (messageId ? [[messageId, contactId]] : [])),
  )
  if (waiting.size === 0) return []
  const claims = await claimAgain(ctx, [...waiting.keys()])
  const ready = claims.flatMap(({ template, ...claim }) => {
    const to = people.get(waiting.get(claim.messageId)!)
    return to && template ? [{ claim, template, to }] : []
  })
  await setSending(
    ctx,
    part.broadcastId,
    ready.map(({ claim, to }) => ({ contactId: to.contactId, messageId: claim.messageId })),
  )
  // Another worker has the others: their recipients follow their deliveries.
  const claimed = new Set(claims.map(({ messageId }) => messageId))
  await settleRecipients(
    ctx,
    [...waiting.keys()].filter((id) => !claimed.has(id)),
  )
  return ready
}

const takeFresh = async (
  ctx: Ctx,
  part: Part,
  turns: readonly Turn[],
  people: People,
): Promise<ReadySend[]> => {
  if (turns.length === 0) return []
  const optedOut: string[] = []
  const behind: string[] = []
  const gone: string[] = []
  const sends: { turn: Turn; to: Reached; thread: LockedConversation }[] = []
  const wanted = turns.map(({ contactId }) => contactId)
  const threads = new Map(
    (await listThreads(ctx, part.channelAccountId, wanted)).map((thread) => [thread.contactId, thread]),
  )
  const busy = new Set(
    await listBusyConversations(
      ctx,
      [...threads.values()].map(({ id }) => id),
      ['pending', 'sending'],
    ),
  )
  for (const turn of turns) {
    const to = people.get(turn.contactId)
    const thread = threads.get(turn.contactId)
    if (!to || !thread) gone.push(turn.contactId)
    else if (to.isOptedOut) optedOut.push(turn.contactId)
    else if (busy.has(thread.id)) behind.push(turn.contactId)
    else sends.push({ turn, to, thread })
  }
  const ready = await store(ctx, part, sends)
  if (behind.length > 0)
    await setNotBefore(ctx, part.broadcastId, behind, new Date(ctx.now().getTime() + BEHIND_MS))
  for (const [code, ids] of [
    ['OPTED_OUT', optedOut],
    ['NO_CONVERSATION', gone],
  ] as const)
    if (ids.length > 0)
      await announce(
        ctx,
        await endTurns(ctx, part.broadcastId, ids, { outcome: 'skipped', code, message: null }),
      )
  return ready
}

const store = async (
  ctx: Ctx,
  part: Part,
  sends: readonly { turn: Turn; to: Reached; thread: LockedConversation }[],
): Promise<ReadySend[]> => {
  if (sends.length === 0) return []
  const { definition, broadcastId, file } = part
  const header = part.header ?? {}
  const templateFile = templateFileOf(ctx, definition, file ?? undefined, header)
  const { headerAttachmentId: _, ...shownHeader } = header
  const { name, language } = definition
  const { renderBody, buildComponents } = ctx.channels.whatsapp
  const contentOf = (
    parameters: readonly string[],
    body: string,
    components: OutboundTemplate['components'],
  ): MessageContent => ({
    body,
    metadata: { template: { name, language, parameters, ...shownHeader }, broadcastId },
    template: { name, language, components, ...templateFile },
  })
  const shared = contentOf(part.parameters, part.body, part.components)
  const messages = sends.map(({ turn: { parameters }, thread }) => ({
    conversation: thread,
    own:
      parameters &&
      contentOf(
        parameters,
        renderBody(definition, parameters),
        buildComponents(definition, { ...header, parameters }),
      ),
  }))
  const { channelAccountId, senderType, senderId } = part
  const claims = await appendMessages(ctx, {
    channelAccountId,
    senderType,
    senderId,
    shared,
    messages,
    hasAttachments: file !== null,
  })
  if (file)
    await showHeaderFile(
      ctx,
      file.id,
      claims.map(({ messageId }) => messageId),
    )
  await setSending(
    ctx,
    broadcastId,
    claims.map(({ messageId }, index) => ({ contactId: sends[index]!.to.contactId, messageId })),
  )
  return claims.map((claim, index) => ({
    claim,
    template: (messages[index]!.own ?? shared).template,
    to: sends[index]!.to,
  }))
}
