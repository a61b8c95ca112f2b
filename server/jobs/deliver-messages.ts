// Sends the waiting messages of a conversation to their provider, in order. Each is claimed in the database before
// the call, so that two workers never send the same one, and a claim whose worker died is recognised
// (sweep-deliveries.ts).

import {
  type Accepted,
  type Channel,
  DeliveryError,
  type OutboundMessage,
  type OutboundTemplate,
} from '../../channels/channel.ts'
import { findChannelAccount, openSecrets } from '../domain/channel-accounts/queries.ts'
import { recordWorking } from '../domain/channel-accounts/record-channel-problem.ts'
import type { StoredChannelAccount } from '../domain/channel-accounts/schema.ts'
import { type Claim, claimHead, findOutbound } from '../domain/deliveries/delivery-queries.ts'
import { prepareOutgoing } from '../domain/emails/prepare-outgoing.ts'
import { toOutboundChoices } from '../domain/messages/choices.ts'
import { type Outcome, recordOutcomes } from '../domain/messages/record-outcomes.ts'
import { withdrawOvertaken } from '../domain/messages/withdraw-message.ts'
import { findTemplates, forgetFetch } from '../domain/templates/queries.ts'
import { refreshTemplates } from '../domain/templates/refresh-templates.ts'
import type { Circuit } from '../platform/circuit.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { makeGate } from '../platform/queue/gate.ts'
import { inSpan } from '../platform/tracing.ts'
import { isSilence, SILENT_PROBLEM } from './account-circuit.ts'
import { noteState, recordProblem } from './channel-state.ts'
import { claimThrough, releaseClaim } from './claims-in-hand.ts'
import type { DeliveryTiming } from './delivery-timing.ts'
import type { JobDeps } from './deps.ts'
import { attemptSend, CHANNEL_REMOVED, findSender, nextTry, withRetries } from './hand-over.ts'
import { toFile } from './outbound-files.ts'
import { holdPace, paceOf, takeTurn } from './pace.ts'
import { type FileKeeper, fileLost } from './provider-files.ts'

/**
 * The minimum delay before rechecking a first message that is not due yet by our estimate of the database's clock.
 */
const RECHECK_MIN_MS = 20
/** Shorter than a send may take: a check made while the provider was silent must not delay the next one. */
const CHECK_TIMEOUT_MS = 5_000
/** If WhatsApp does not know a template that is on its list, it becomes available within seconds. */
const TEMPLATE_WAIT_MS = 2_000
/** Concurrent claims, reads and records in a process: requests need connections too. */
const DATABASE_WORK_MAX = 20

const database = makeGate(DATABASE_WORK_MAX)

/** Sends the first message of a conversation if it is due. Returns whether another may follow, or when. */
export const deliverNext = async (
  deps: JobDeps,
  ctx: Ctx,
  conversationId: string,
  circuit: Circuit,
): Promise<'more' | 'none' | Date> => {
  const head = await database.through(() =>
    claimThrough(
      () => claimHead(ctx, conversationId),
      (head) => (head?.is === 'claimed' ? [head.claim] : []),
    ),
  )
  if (!head || head.is === 'busy') return 'none'
  if (head.is === 'overtaken') {
    await database.through(() => withdrawOvertaken(ctx, conversationId))
    return 'more'
  }
  if (head.is === 'waiting')
    return new Date(Math.max(head.notBefore.getTime(), ctx.now().getTime() + RECHECK_MIN_MS))
  const { claim } = head
  const outcome = await inSpan('deliver message', deliverySpan(ctx, claim), async () => {
    const outcome = await handOver(deps, ctx, claim, circuit)
    logOutcome(ctx, claim, outcome)
    // Inside the span, because of the events that it records.
    await database.through(() => withRetries(deps, () => recordOutcomes(ctx, [{ claim, outcome }])))
    return outcome
  })
  releaseClaim(claim)
  return outcome.is === 'postponed' ? outcome.until : 'more'
}

/**
 * Whether to try a silent provider with a message. If a message without a response is not sent again, the account's
 * check goes first.
 */
export const isAnswering = async (
  deps: JobDeps,
  ctx: Ctx,
  channelAccountId: string,
  circuit: Circuit,
): Promise<boolean> => {
  const account = await findChannelAccount(ctx, channelAccountId)
  const channel: Channel | undefined = account && ctx.channels[account.channel]
  if (!account || !channel?.check || channel.isResendHarmless || circuit.takeRisk()) return true
  const opened = { ...account, secrets: openSecrets(deps.seal, account) }
  const checks = await channel.check(opened, {
    timeoutMs: Math.min(deps.timing.sendTimeoutMs, CHECK_TIMEOUT_MS),
  })
  return checks.some(({ ok }) => ok)
}

const deliverySpan = ({ workspaceId }: Ctx, { messageId, tries, traceparent }: Claim) => ({
  kind: 'consumer' as const,
  parent: traceparent ?? null,
  attributes: { 'foyer.workspace_id': workspaceId, 'foyer.message_id': messageId, 'foyer.attempt': tries },
})

type Prepared = {
  account: StoredChannelAccount
  channel: Channel
  template: OutboundTemplate | null
  contactId: string
  /** Whether it may work once the header's file is uploaded again. */
  isFileGone: (error: DeliveryError) => Promise<boolean>
  send: () => Promise<Accepted>
}

/** Calls the provider. Every result, including errors, becomes an outcome. */
const handOver = async (deps: JobDeps, ctx: Ctx, claim: Claim, circuit: Circuit): Promise<Outcome> => {
  const { timing } = deps
  let prepared: Prepared | 'removed' | undefined
  let pace: number | null = null
  let waitMs = 0
  try {
    prepared = await database.through(() => prepare(deps, ctx, claim))
    if (prepared === 'removed') {
      circuit.answered()
      return { is: 'refused', ...CHANNEL_REMOVED }
    }
    if (prepared) pace = paceOf(prepared.account)
    if (prepared && pace !== null) waitMs = await takeTurn(ctx, prepared.account.id, pace)
  } catch (error) {
    // Nothing was sent yet.
    ctx.log.error({ err: error, deliveryId: claim.id }, 'a message could not be prepared for its channel')
    return postponed(
      ctx,
      timing,
      claim,
      'NOT_PREPARED',
      'The message could not be prepared. It will be retried.',
    )
  }
  if (!prepared)
    return {
      is: 'refused',
      code: 'CHANNEL_NOT_SUPPORTED',
      message: 'Messages can’t be sent on this channel.',
    }
  const { account, channel, template, contactId, send, isFileGone } = prepared
  if (waitMs > 0) return { is: 'postponed', until: new Date(ctx.now().getTime() + waitMs), ...PACED }
  const result = await attemptSend(ctx, claim.id, send, timing.sendTimeoutMs)
  if (!(result instanceof DeliveryError)) {
    circuit.answered()
    await noteState(ctx, account, () => recordWorking(ctx, account, 'sending'))
    return { is: 'accepted', ...result }
  }
  await recordAnswer(ctx, account, circuit, result)
  const { outcome, concerns, code, message, retryAfterMs } = result
  if (outcome === 'refused') {
    if (concerns === 'account') await recordProblem(ctx, account, { code, message })
    if (claim.tries === 1 && (await isFileGone(result))) return postponed(ctx, timing, claim, code, message)
    if (
      concerns === 'template' &&
      claim.tries === 1 &&
      template &&
      (await isStillThere(ctx, account, template))
    )
      return { is: 'postponed', until: new Date(ctx.now().getTime() + TEMPLATE_WAIT_MS), code, message }
    return {
      is: 'refused',
      code,
      message,
      ...(concerns === 'customer' && { optedOut: { contactId, channel: account.channel } }),
    }
  }
  if (outcome === 'unknown' && !channel.isResendHarmless) return { is: 'unconfirmed', code, message }
  const retry = postponed(ctx, timing, claim, code, message, retryAfterMs)
  // It is sent once the provider responds, however often it was used as the probe.
  if (retry.is === 'postponed' && circuit.isOpen() && isSilence(result))
    return { ...retry, until: new Date(ctx.now().getTime() + circuit.probeInMs()) }
  if (pace !== null && concerns === 'account' && retry.is === 'postponed')
    await holdPace(ctx, account.id, retry.until.getTime() - ctx.now().getTime())
  return retry
}

const prepare = async (deps: JobDeps, ctx: Ctx, claim: Claim): Promise<Prepared | 'removed' | undefined> => {
  const sender = await findSender(deps, ctx, claim.channelAccountId)
  if (!sender) return 'removed'
  const message = await findOutbound(ctx, claim.messageId)
  if (!message) throw new Error(`delivery ${claim.id} has no message`)
  const { account, channel, send, files } = sender
  if (!send) return undefined
  const { template } = message
  const [file] = message.attachments
  return {
    account,
    channel,
    template,
    contactId: message.contactId,
    isFileGone: async (error) => Boolean(template?.file && file && (await files?.isGone(file, error))),
    send: async () => {
      const filesSize = message.attachments.reduce((sum, { size }) => sum + size, 0)
      const email =
        account.channel === 'email' ? await prepareOutgoing(ctx, account, { ...claim, filesSize }) : null
      return send({
        ...toOutbound(ctx, claim, message),
        ...(template?.file && (await withHeaderFile(template, file, files))),
        email: email && {
          ...email,
          written: email.written && {
            ...email.written,
            inline: email.written.inline.map((file) => toFile(ctx, file)),
          },
        },
      })
    },
  }
}

/** The file goes out in the header, by the provider's id. */
const withHeaderFile = async (
  template: OutboundTemplate,
  file: Found['attachments'][number] | undefined,
  files: FileKeeper | undefined,
): Promise<Pick<OutboundMessage, 'template' | 'attachments'>> => {
  if (!template.file || !file || !files) throw fileLost()
  const externalId = await files.keep(file)
  return { template: { ...template, file: { ...template.file, externalId } }, attachments: [] }
}

/** Records whether the provider responds at all, for the console too. */
export const recordAnswer = async (
  ctx: Ctx,
  account: StoredChannelAccount,
  circuit: Circuit,
  error: DeliveryError,
): Promise<void> => {
  if (isSilence(error)) {
    if (!circuit.silent()) return
    ctx.log.warn({ channelAccountId: account.id, code: error.code }, 'a provider is not responding')
    await recordProblem(ctx, account, SILENT_PROBLEM)
  } else {
    circuit.answered()
    if (account.problem?.code === SILENT_PROBLEM.code) await recordProblem(ctx, account, null)
  }
}

const PACED = {
  code: 'PACED',
  message: 'The number has reached its sending rate. The message is waiting its turn.',
}

/** The provider does not know the template: ask again whether it is still on its list. */
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
  attachments: row.attachments.map((file) => toFile(ctx, file)),
  replyToExternalId: row.replyToExternalId,
  choices: toOutboundChoices(ctx, row.choices),
  to: {
    contactId: row.contactId,
    name: row.name,
    email: row.email,
    phone: row.phone,
    externalId: row.externalId,
  },
  createdAt: row.createdAt,
})

const logOutcome = (ctx: Ctx, claim: Claim, outcome: Outcome): void => {
  const details = {
    workspaceId: ctx.workspaceId,
    messageId: claim.messageId,
    tries: claim.tries,
    outcome: outcome.is,
    ...('code' in outcome && { code: outcome.code }),
  }
  if (outcome.is === 'accepted') ctx.log.debug(details, 'message sent to its channel')
  else ctx.log.warn(details, 'message not sent to its channel')
}
