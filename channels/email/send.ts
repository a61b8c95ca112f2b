// Sends email over the account's own mail server. The Message-ID is made from our message's id, so that a receiver
// which gets the same message twice (we do not always hear that it was taken) shows it once.
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import nodemailer from 'nodemailer'
import { type Accepted, type ChannelAccount, DeliveryError, type OutboundMessage } from '../channel.ts'
import { composeMail, messageIdFor } from './compose.ts'
import { smtpSignIn } from './smtp-sign-in.ts'

const CONNECTIONS_MAX = 5
const MESSAGES_PER_CONNECTION_MAX = 100
const CONNECT_TIMEOUT_MS = 10_000
/** A connection that nothing was sent over for so long is closed. */
const IDLE_MS = 30_000
const REPLY_MAX = 300
/** How much of the time for a message its connection may be silent. */
const SOCKET_SHARE = 0.8

const makeTransport = (account: ChannelAccount, timeoutMs: number) =>
  nodemailer.createTransport({
    ...smtpSignIn(account),
    pool: true,
    maxConnections: CONNECTIONS_MAX,
    maxMessages: MESSAGES_PER_CONNECTION_MAX,
    connectionTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    greetingTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    dnsTimeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    // Ends what hangs before we give it up ourselves, so that it cannot be sent after that.
    socketTimeout: timeoutMs * SOCKET_SHARE,
    // What customers and agents write must never make us read files or fetch addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  })

type Open = {
  transport: ReturnType<typeof makeTransport>
  idle: NodeJS.Timeout | undefined
  sending: number
  /** Those who wait for a connection, first come, first served. */
  waiting: (() => void)[]
}

/** One pool of connections for each account in use, by account and address of its server. */
const open = new Map<string, Open>()

const findOpen = (account: ChannelAccount, timeoutMs: number): Open => {
  const { smtpUrl, oauthRefreshToken } = account.secrets
  const key = `${account.id}\n${smtpUrl}\n${oauthRefreshToken}\n${timeoutMs}`
  let entry = open.get(key)
  if (!entry) {
    entry = { transport: makeTransport(account, timeoutMs), idle: undefined, sending: 0, waiting: [] }
    open.set(key, entry)
  }
  return entry
}

/**
 * Waits for a free connection. The library would queue the message by itself, and send it at some later time, also
 * when we have given it up by then and tried again.
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

/** Closes the connections that nothing is being sent over. */
export const closeEmail = (): void => {
  for (const entry of [...open.values()]) closeIdle(entry)
}

/** One line without control characters: nothing that could begin a header of its own. */
const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ').trim()

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
  const entry = findOpen(account, timeoutMs)
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
      throw new DeliveryError('unknown', 'TIMEOUT', 'The mail server did not answer in time.')
    })
    sending.catch(() => {})
    deadline.catch(() => {})
    const sent = await Promise.race([sending, deadline])
    return {
      externalId: messageIdFor(message, account.address),
      aliases: aliasesOf(account.secrets.smtpUrl, sent.response),
    }
  } catch (error) {
    throw toDeliveryError(error as SmtpError)
  } finally {
    timer.abort()
    returnConnection(entry)
    // What was not sent to its end is not read to its end either.
    for (const { content } of mail?.attachments ?? []) if (content instanceof Readable) content.destroy()
  }
}

/** Amazon's server gives every mail a Message-ID of its own, and says which in its answer. */
const aliasesOf = (smtpUrl: string, response: string): string[] => {
  const region = /email-smtp\.([a-z0-9-]{1,30})\.amazonaws\.com/.exec(smtpUrl)?.[1]
  const id = /\b([0-9a-f]{16}-[0-9a-f-]{30,60})\b/.exec(response)?.[1]
  return region && id ? [`<${id}@${region}.amazonses.com>`, `<${id}@email.amazonses.com>`] : []
}

type SmtpError = Error & { code?: string; responseCode?: number; response?: string; command?: string }

/** After this command the message itself is on its way: silence no longer means that it was not taken. */
const isAfterData = ({ command }: SmtpError): boolean => command === 'DATA'

/** RFC 5321, 4.2.1: 4yz may be tried again, 5yz may not. Without a reply it depends on how far it got. */
const toDeliveryError = (error: SmtpError): Error => {
  if (error instanceof DeliveryError) return error
  const { responseCode, response } = error
  const options = { cause: error }
  if (error.code === 'EAUTH')
    return new DeliveryError('refused', 'EAUTH', 'The mail server does not accept the sign-in.', {
      ...options,
      concerns: 'account',
    })
  if (responseCode) {
    const reply = oneLine(response ?? '').slice(0, REPLY_MAX)
    const outcome = responseCode >= 500 ? 'refused' : 'retry'
    return new DeliveryError(outcome, `SMTP_${responseCode}`, `The mail server answered: ${reply}`, options)
  }
  switch (error.code) {
    case 'EENVELOPE':
    case 'EMESSAGE':
      return new DeliveryError('refused', error.code, 'The message cannot be sent as it is.', options)
    default:
      return isAfterData(error)
        ? new DeliveryError(
            'unknown',
            error.code ?? 'ESOCKET',
            'The connection broke while sending.',
            options,
          )
        : new DeliveryError('retry', error.code ?? 'ESOCKET', 'The mail server cannot be reached.', options)
  }
}
