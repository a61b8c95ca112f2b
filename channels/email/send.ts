// Sends email through the account's own mail server. The Message-ID is derived from our message's id, so a recipient
// who gets the same message twice (the server's response can get lost) sees it once.
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type SMTPPool from 'nodemailer/lib/smtp-pool/index.js'
import {
  type Accepted,
  type ChannelAccount,
  DeliveryError,
  type OutboundMessage,
  type RejectedRecipient,
} from '../contract/channel.ts'
import { composeMail, messageIdFor } from './compose.ts'
import { NO_TLS } from './server-address.ts'
import { deliveryErrorOf, replyOf, type SmtpError, smtpSignIn } from './smtp-sign-in.ts'

const CONNECTIONS_MAX = 5
const MESSAGES_PER_CONNECTION_MAX = 100
const CONNECT_TIMEOUT_MS = 10_000
/** Connections idle for this long are closed. */
const IDLE_MS = 30_000
const REPLY_MAX = 300
/** The share of a message's time limit for which its connection may be silent. */
const SOCKET_SHARE = 0.8

type Nodemailer = typeof import('nodemailer').default

const makeTransport = (nodemailer: Nodemailer, account: ChannelAccount, timeoutMs: number) =>
  nodemailer.createTransport({
    ...smtpSignIn(account, { timeoutMs: Math.min(CONNECT_TIMEOUT_MS, timeoutMs) }),
    pool: true,
    maxConnections: CONNECTIONS_MAX,
    maxMessages: MESSAGES_PER_CONNECTION_MAX,
    connectionTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    greetingTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    dnsTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    // Ends hanging connections before we give up, so that the message can't be sent afterwards.
    socketTimeout: timeoutMs * SOCKET_SHARE,
    // Text from customers and agents must never make us read files or fetch URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  })

type Open = {
  transport: ReturnType<typeof makeTransport>
  idle: NodeJS.Timeout | undefined
  sending: number
  /** Those waiting for a connection, in order. */
  waiting: (() => void)[]
}

/** One connection pool per account in use, by account and server URL. */
const open = new Map<string, Open>()

const findOpen = (nodemailer: Nodemailer, account: ChannelAccount, timeoutMs: number): Open => {
  const { smtpUrl, oauthRefreshToken } = account.secrets
  const key = `${account.id}\n${smtpUrl}\n${oauthRefreshToken}\n${timeoutMs}`
  let entry = open.get(key)
  if (!entry) {
    const transport = makeTransport(nodemailer, account, timeoutMs)
    entry = { transport, idle: undefined, sending: 0, waiting: [] }
    open.set(key, entry)
  }
  return entry
}

/**
 * Waits for a free connection. The library would queue the message and send it later, even after we gave up and
 * retried.
 */
const takeConnection = async (entry: Open, timeoutMs: number): Promise<void> => {
  clearTimeout(entry.idle)
  if (entry.sending < CONNECTIONS_MAX) {
    entry.sending += 1
    return
  }
  await new Promise<void>((resolve, reject) => {
    const go = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      entry.waiting.splice(entry.waiting.indexOf(go), 1)
      reject(new DeliveryError('retry', 'BUSY', 'All connections to the mail server are in use.'))
    }, timeoutMs)
    entry.waiting.push(go)
  })
}

const returnConnection = (entry: Open): void => {
  const next = entry.waiting.shift()
  if (next) {
    next()
    return
  }
  entry.sending -= 1
  clearTimeout(entry.idle)
  entry.idle = setTimeout(() => closeIdle(entry), IDLE_MS).unref()
}

const closeIdle = (entry: Open): void => {
  if (entry.sending > 0) return
  clearTimeout(entry.idle)
  for (const [key, other] of open) if (other === entry) open.delete(key)
  entry.transport.close()
}

/** Closes idle connections. */
export const closeEmail = (): void => {
  for (const entry of [...open.values()]) closeIdle(entry)
}

export const sendEmail = async (
  account: ChannelAccount,
  message: OutboundMessage,
  { timeoutMs }: { timeoutMs: number },
): Promise<Accepted> => {
  if (!account.address || !account.secrets.smtpUrl)
    throw new DeliveryError(
      'refused',
      'ACCOUNT_INCOMPLETE',
      'The email account has no address or no mail server.',
      { concerns: 'account' },
    )
  // Loaded with the first email, for a faster start.
  const { default: nodemailer } = await import('nodemailer')
  const entry = findOpen(nodemailer, account, timeoutMs)
  const startedMs = performance.now()
  await takeConnection(entry, timeoutMs / 2)
  const timer = new AbortController()
  let mail: Awaited<ReturnType<typeof composeMail>> | undefined
  try {
    mail = await composeMail(account, message)
    const sending = entry.transport.sendMail(mail)
    const deadline = delay(timeoutMs - (performance.now() - startedMs), undefined, {
      signal: timer.signal,
      ref: false,
    }).then(() => {
      throw new DeliveryError('unknown', 'TIMEOUT', 'The mail server did not respond in time.')
    })
    sending.catch(() => {})
    deadline.catch(() => {})
    const sent = await Promise.race([sending, deadline])
    return {
      externalId: messageIdFor(message, account.address),
      aliases: aliasesOf(account.secrets.smtpUrl, sent.response),
      ...(message.email?.written && { rejected: rejectedOf(sent) }),
    }
  } catch (error) {
    throw toDeliveryError(error as SmtpError)
  } finally {
    timer.abort()
    returnConnection(entry)
    // Streams of a failed send are not read to the end, so they have to be closed.
    for (const { content } of mail?.attachments ?? []) if (content instanceof Readable) content.destroy()
  }
}

/** Those refused while others were accepted: if all are, sending fails. */
const rejectedOf = ({ rejectedErrors = [] }: SMTPPool.SentMessageInfo): RejectedRecipient[] =>
  rejectedErrors.flatMap((error) => {
    const { recipient, responseCode } = error as SmtpError & { recipient?: string }
    const message = replyOf(error as SmtpError, REPLY_MAX) ?? 'The mail server refused this recipient.'
    return recipient
      ? [
          {
            address: recipient.toLowerCase(),
            code: responseCode ? `SMTP_${responseCode}` : 'EENVELOPE',
            message,
          },
        ]
      : []
  })

/** Amazon's server replaces the Message-ID, and gives the new one in its response. */
const aliasesOf = (smtpUrl: string, response: string): string[] => {
  const region = /email-smtp\.([a-z0-9-]{1,30})\.amazonaws\.com/.exec(smtpUrl)?.[1]
  const id = /\b([0-9a-f]{16}-[0-9a-f-]{30,60})\b/.exec(response)?.[1]
  return region && id ? [`<${id}@${region}.amazonses.com>`, `<${id}@email.amazonses.com>`] : []
}

/** After this command the message may have been accepted even without a response. */
const isAfterData = ({ command }: SmtpError): boolean => command === 'DATA'

/** RFC 5321, 4.2.1: 4yz may be retried, 5yz may not. Without a reply it depends on how far it got. */
const toDeliveryError = (error: SmtpError): Error => {
  const known = deliveryErrorOf(error)
  if (known) return known
  const { responseCode } = error
  const options = { cause: error }
  if (error.code === 'ETLS' && responseCode && responseCode >= 500)
    return new DeliveryError('refused', 'ETLS', NO_TLS, { ...options, concerns: 'account' })
  if (error.code === 'EAUTH')
    return new DeliveryError('refused', 'EAUTH', 'The mail server rejected the sign-in.', {
      ...options,
      concerns: 'account',
    })
  if (responseCode) {
    const reply = replyOf(error, REPLY_MAX)
    const outcome = responseCode >= 500 ? 'refused' : 'retry'
    const message = `The mail server returned an error${reply ? `: ${reply}` : ` ${responseCode}.`}`
    return new DeliveryError(outcome, `SMTP_${responseCode}`, message, options)
  }
  switch (error.code) {
    case 'EENVELOPE':
    case 'EMESSAGE':
      return new DeliveryError(
        'refused',
        error.code,
        'The message or its recipient is not valid for email.',
        options,
      )
    default:
      return isAfterData(error)
        ? new DeliveryError(
            'unknown',
            error.code ?? 'ESOCKET',
            'The connection was lost while sending.',
            options,
          )
        : new DeliveryError('retry', error.code ?? 'ESOCKET', 'The mail server cannot be reached.', options)
  }
}
