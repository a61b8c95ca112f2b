// Tests a mailbox's credentials by signing in to both servers at the same time. Nothing is sent or read.
import type { ChannelAccount, ChannelCheck } from '../contract/channel.ts'
import { problemOf } from '../protocol/check.ts'
import { openMailbox } from './mailbox.ts'
import { NO_TLS } from './server-address.ts'
import { deliveryErrorOf, replyOf, type SmtpError, smtpSignIn } from './smtp-sign-in.ts'

type Options = { timeoutMs: number }

export const checkEmail = async (account: ChannelAccount, options: Options): Promise<ChannelCheck[]> => {
  const { imapUrl, inboundSecret } = account.secrets
  return Promise.all([
    checkSending(account, options),
    imapUrl
      ? checkMailbox(account, options)
      : {
          name: 'Incoming mail',
          about: 'receiving',
          ok: inboundSecret !== undefined,
          message: inboundSecret
            ? 'Your mail server should POST mail to the webhook address with the inbound secret.'
            : 'Mail can’t be received: no IMAP mailbox or inbound secret is set.',
        },
  ])
}

const checkSending = async (account: ChannelAccount, { timeoutMs }: Options): Promise<ChannelCheck> => {
  const name = 'Outgoing mail'
  const { default: nodemailer } = await import('nodemailer')
  const transport = nodemailer.createTransport({
    ...smtpSignIn(account, { timeoutMs }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  })
  try {
    await within(timeoutMs, transport.verify())
    return { name, ok: true, message: 'Signed in to the mail server.' }
  } catch (error) {
    return { name, ok: false, message: sendingProblem(error as SmtpError) }
  } finally {
    transport.close()
  }
}

const RESPONSE_MAX = 200

const sendingProblem = (error: SmtpError): string => {
  const known = deliveryErrorOf(error)
  if (known) return known.message
  const { code } = error
  const response = replyOf(error, RESPONSE_MAX)
  const said = response ? `: ${response}` : '.'
  if (code === 'EAUTH') return `The mail server rejected the sign-in${said}`
  if (code === 'ETLS')
    return error.response ? NO_TLS : 'Couldn’t establish an encrypted connection to the mail server.'
  if (code === 'EDNS' || code === 'ENOTFOUND') return 'The mail server’s host name can’t be found.'
  if (code === 'ETIMEDOUT') return 'The mail server did not respond in time.'
  return response ? `The mail server returned an error${said}` : 'The mail server cannot be reached.'
}

const checkMailbox = async (account: ChannelAccount, { timeoutMs }: Options): Promise<ChannelCheck> => {
  const it = { name: 'Incoming mail', about: 'receiving' } as const
  const stopping = new AbortController()
  try {
    const options = { sizeMax: 0, signal: stopping.signal }
    const mailbox = await within(timeoutMs, openMailbox(account, options))
    await mailbox.close().catch(() => {})
    return { ...it, ok: true, message: 'Connected to the mailbox.' }
  } catch (error) {
    const isLate = (error as SmtpError).code === 'ETIMEDOUT'
    return {
      ...it,
      ok: false,
      message: isLate ? 'The mail server did not respond in time.' : problemOf(error),
    }
  } finally {
    stopping.abort()
  }
}

/** Rejects with ETIMEDOUT if the work takes longer; a later failure of it is ignored. */
const within = async <T>(timeoutMs: number, work: Promise<T>): Promise<T> => {
  work.catch(() => {})
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('too late'), { code: 'ETIMEDOUT' })), timeoutMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
