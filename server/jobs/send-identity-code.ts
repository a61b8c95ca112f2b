// Sends a customer the code that shows who they are. The code follows from its row, so a job that is repeated, because its
// process was killed or the response was lost, sends the same one, and an email with the same Message-ID.
import { DeliveryError, type OutboundMessage } from '../../channels/channel.ts'
import { codeText } from '../domain/ai/identity/texts.ts'
import { signatureOf } from '../domain/emails/signatures.ts'
import { codeOf } from '../domain/identity-codes/code.ts'
import { giveUpCode } from '../domain/identity-codes/give-up-code.ts'
import { type CodeToSend, findCodeToSend, setCodeSent } from '../domain/identity-codes/queries.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { systemCtx } from '../platform/ctx/system-ctx.ts'
import type { JobPayloads } from '../platform/queue/catalogue.ts'
import type { JobDeps } from './deps.ts'
import { attemptSend, findSender } from './hand-over.ts'

export const sendIdentityCode = async (
  deps: JobDeps,
  { workspaceId, codeId }: JobPayloads['send_identity_code'],
): Promise<void> => {
  const ctx = systemCtx(deps, workspaceId)
  const code = await findCodeToSend(ctx, codeId)
  if (!code) return
  const { conversationId } = code
  if (!code.isWanted) return giveUpCode(ctx, { id: codeId, conversationId })
  const failed = await send(deps, ctx, codeId, code)
  if (!failed) return setCodeSent(ctx, codeId)
  ctx.log.warn({ workspaceId, codeId, code: failed.code }, 'a code for a customer could not be sent')
  if (failed.outcome === 'refused') return giveUpCode(ctx, { id: codeId, conversationId })
  // The queue tries it again, for as long as the code is valid.
  throw new Error(`a code for a customer could not be sent: ${failed.code}`)
}

const send = async (
  deps: JobDeps,
  ctx: Ctx,
  id: string,
  code: CodeToSend,
): Promise<DeliveryError | undefined> => {
  const { seal, mail, timing } = deps
  const { address, channelAccountId, language, workspaceName: workspace } = code
  const words = { code: codeOf(seal, { workspaceId: ctx.workspaceId, id }), workspace }
  const subject = codeText('subject', language, words)
  const text = codeText('message', language, words)
  if (channelAccountId === null) {
    if (!mail || !ctx.sendsMail)
      return new DeliveryError('refused', 'NO_ACCOUNT', 'There is no account that could send it.')
    await mail.send({ to: address, subject, text })
    return undefined
  }
  const sender = await findSender(deps, ctx, channelAccountId)
  if (!sender?.send)
    return new DeliveryError('refused', 'NO_ACCOUNT', 'There is no account that could send it.')
  const message = messageOf(ctx, id, { ...code, channelAccountId }, { subject, text })
  const sent = await attemptSend(ctx, id, () => sender.send!(message), timing.sendTimeoutMs)
  return sent instanceof DeliveryError ? sent : undefined
}

const messageOf = (
  ctx: Ctx,
  id: string,
  {
    kind,
    address,
    channelAccountId,
    conversationId,
    contactId,
    createdAt,
    workspaceName,
  }: CodeToSend & { channelAccountId: string },
  { subject, text }: { subject: string; text: string },
): OutboundMessage => ({
  id,
  attemptId: id,
  conversationId,
  body: text,
  subject,
  senderName: workspaceName,
  template: null,
  attachments: [],
  to: {
    contactId,
    name: '',
    email: kind === 'email' ? address : null,
    phone: kind === 'phone' ? address : null,
    externalId: null,
  },
  createdAt,
  ...(kind === 'email' && {
    email: {
      signature: signatureOf(ctx, 'email message', { channelAccountId, id }),
      reply: null,
      address,
      subject,
      isAnswer: false,
      inReplyTo: null,
      references: [],
      isAutomatic: true,
    },
  }),
})
