// Hands the waiting messages of one conversation to their provider, in order. Each is claimed in the database before
// the call, so that two workers never send the same one, and a claim whose worker died is known for what it is
// (sweep-deliveries.ts).
import type { Readable } from 'node:stream'
import {
  type Accepted,
  type Channel,
  DeliveryError,
  type OutboundMessage,
  type OutboundTemplate,
} from '../../channels/channel.ts'
import type { Ctx } from '../ctx.ts'
import { fileUrl } from '../files/links.ts'
import { MissingFileError } from '../files/store.ts'
import { webhookUrl } from '../resources/channel-accounts/add-channel-account.ts'
import { noteChannelProblem } from '../resources/channel-accounts/note-channel-problem.ts'
import { findChannelAccount, openSecrets } from '../resources/channel-accounts/queries.ts'
import type { StoredChannelAccount } from '../resources/channel-accounts/schema.ts'
import { setOptedOut } from '../resources/contacts/people-queries.ts'
import { type Claim, claimHead, findOutbound } from '../resources/conversations/delivery-queries.ts'
import { type Outcome, recordOutcome } from '../resources/conversations/record-outcome.ts'
import { prepareOutgoing } from '../resources/emails/prepare-outgoing.ts'
import { findTemplates, forgetFetch } from '../resources/templates/queries.ts'
import { refreshTemplates } from '../resources/templates/refresh-templates.ts'
import { addJob } from './add-job.ts'
import type { JobPayloads } from './catalogue.ts'
import type { DeliveryTiming } from './delivery-timing.ts'
import { type JobDeps, systemCtx } from './deps.ts'
import { attemptSend, nextTry, patiently } from './hand-over.ts'
import { holdPace, paceOf, takeTurn } from './pace.ts'

/** A job hands over so many, then another job goes on: nobody else's messages wait for a long conversation. */
const BATCH_MAX = 50
/** A head that another worker has, or whose time has not come by our clock, is looked at again no sooner than this. */
const LOOK_AGAIN_MS = 250
/** A template that WhatsApp does not know, though it is on its list, is made ready there within seconds. */
const TEMPLATE_WAIT_MS = 2_000

export const deliverMessages = async (
  deps: JobDeps,
  payload: JobPayloads['deliver_messages'],
): Promise<void> => {
  const ctx = systemCtx(deps, payload.workspaceId)
  for (let count = 0; count < BATCH_MAX && !deps.isStopping(); count++) {
    const head = await claimHead(ctx, payload.conversationId)
    if (!head || head.is === 'busy') return
    if (head.is === 'waiting') {
      const runAt = new Date(Math.max(head.notBefore.getTime(), Date.now() + LOOK_AGAIN_MS))
      return addJob(ctx, 'deliver_messages', payload, { runAt })
    }
    const outcome = await handOver(deps, ctx, head.claim)
    logOutcome(ctx, head.claim, outcome)
    await patiently(ctx, () => recordOutcome(ctx, head.claim, outcome))
  }
  await addJob(ctx, 'deliver_messages', payload)
}

/** Calls the provider. Whatever happens becomes an outcome. */
const handOver = async (deps: JobDeps, ctx: Ctx, claim: Claim): Promise<Outcome> => {
  const { timing } = deps
  let account: StoredChannelAccount
  let channel: Channel
  let template: OutboundTemplate | null
  let contactId: string
  let send: () => Promise<Accepted>
  try {
    const found = await findChannelAccount(ctx, claim.channelAccountId)
    const message = await findOutbound(ctx, claim.messageId)
    if (!found || !message) throw new Error(`delivery ${claim.id} has no account or no message`)
    account = found
    template = message.template
    contactId = message.contactId
    channel = ctx.channels[account.channel]
    if (!channel.send)
      return { is: 'refused', code: 'CHANNEL_NOT_SUPPORTED', message: 'Nothing can be sent on this channel.' }
    const opened = { ...account, secrets: openSecrets(deps.seal, account) }
    const options = {
      timeoutMs: timing.sendTimeoutMs,
      webhookUrl: webhookUrl(ctx.publicUrl, account.channel, account.id),
    }
    const isEmail = found.channel === 'email'
    send = async () => {
      const email = isEmail ? await prepareOutgoing(ctx, found, claim) : null
      return channel.send!(opened, { ...toOutbound(ctx, claim, message), email }, options)
    }
  } catch (error) {
    // Nothing was sent yet.
    ctx.log.error({ err: error, deliveryId: claim.id }, 'a message could not be prepared for its channel')
    return postponed(
      ctx,
      timing,
      claim,
      'NOT_PREPARED',
      'The message could not be prepared. It is tried again.',
    )
  }
  const pace = paceOf(account)
  const waitMs = pace === null ? 0 : await takeTurn(ctx, account.id, pace)
  if (waitMs > 0) return { is: 'postponed', until: new Date(ctx.now().getTime() + waitMs), ...PACED }
  const result = await attemptSend(ctx, claim.id, send, timing.sendTimeoutMs)
  if (!(result instanceof DeliveryError)) {
    // What keeps a mailbox from being read says nothing of what it sends.
    const isOver = account.problem && !account.problem.code.startsWith('MAILBOX_')
    if (isOver) await noteProblem(ctx, account, null)
    return { is: 'accepted', ...result }
  }
  const { outcome, concerns, code, message, retryAfterMs } = result
  if (outcome === 'refused') {
    if (concerns === 'account') await noteProblem(ctx, account, { code, message })
    if (
      concerns === 'template' &&
      claim.tries === 1 &&
      template &&
      (await isStillThere(ctx, account, template))
    )
      return { is: 'postponed', until: new Date(ctx.now().getTime() + TEMPLATE_WAIT_MS), code, message }
    if (concerns === 'customer') await setOptedOut(ctx, [contactId], ctx.now())
    return { is: 'refused', code, message }
  }
  if (outcome === 'unknown' && !channel.isResendHarmless) return { is: 'unconfirmed', code, message }
  const retry = postponed(ctx, timing, claim, code, message, retryAfterMs)
  if (pace !== null && concerns === 'account' && retry.is === 'postponed')
    await holdPace(ctx, account.id, retry.until.getTime() - ctx.now().getTime())
  return retry
}

/** For people to see. What became of the message must be written down whether or not this can be. */
const noteProblem = async (
  ctx: Ctx,
  { id }: StoredChannelAccount,
  problem: { code: string; message: string } | null,
): Promise<void> => {
  try {
    await noteChannelProblem(ctx, id, problem)
  } catch (error) {
    ctx.log.warn({ err: error, channelAccountId: id }, 'the state of a channel could not be noted')
  }
}

const PACED = { code: 'PACED', message: 'The number sends as fast as it may. The message waits its turn.' }

/** The provider does not know the template: whether it is on its list still, asked anew. */
const isStillThere = async (
  ctx: Ctx,
  account: StoredChannelAccount,
  { name, language }: OutboundTemplate,
): Promise<boolean> => {
  if (account.channel !== 'whatsapp') return false
  const { businessAccountId } = account.settings
  await forgetFetch(ctx, [businessAccountId])
  await refreshTemplates(ctx, [account])
  const kept = await findTemplates(ctx, businessAccountId, name)
  return kept.some((one) => one.language === language && ctx.channels.whatsapp.isSendable(one))
}

const postponed = (
  ctx: Ctx,
  timing: DeliveryTiming,
  claim: Claim,
  code: string,
  message: string,
  retryAfterMs = 0,
): Outcome => {
  const until = nextTry(ctx, timing, claim, retryAfterMs)
  return until ? { is: 'postponed', until, code, message } : { is: 'refused', code, message }
}

type Found = NonNullable<Awaited<ReturnType<typeof findOutbound>>>

const toOutbound = (ctx: Ctx, claim: Claim, row: Found): OutboundMessage => ({
  id: row.id,
  attemptId: claim.id,
  conversationId: row.conversationId,
  body: row.body,
  subject: row.subject,
  senderName: row.workspaceName,
  template: row.template,
  attachments: row.attachments.map(({ key, ...attachment }) => ({
    ...attachment,
    open: () => openFile(ctx, key),
    url: fileUrl(ctx, attachment.id),
  })),
  replyToExternalId: row.replyToExternalId,
  to: {
    contactId: row.contactId,
    name: row.name,
    email: row.email,
    phone: row.phone,
    externalId: row.externalId,
  },
  createdAt: row.createdAt,
})

/** A file that cannot be read is a definite answer: nothing has been sent yet. */
const openFile = async (ctx: Ctx, key: string): Promise<Readable> => {
  try {
    return await ctx.files.open(key)
  } catch (cause) {
    throw cause instanceof MissingFileError
      ? new DeliveryError('refused', 'FILE_LOST', 'A file of the message is lost.', { cause })
      : new DeliveryError('retry', 'FILE_UNREADABLE', 'A file of the message cannot be read now.', { cause })
  }
}

const logOutcome = (ctx: Ctx, claim: Claim, outcome: Outcome): void => {
  const details = {
    workspaceId: ctx.workspaceId,
    messageId: claim.messageId,
    tries: claim.tries,
    outcome: outcome.is,
    ...('code' in outcome && { code: outcome.code }),
  }
  if (outcome.is === 'accepted') ctx.log.debug(details, 'message handed over')
  else ctx.log.warn(details, 'message not handed over')
}
