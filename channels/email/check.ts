// Whether a mailbox's servers take its credentials: both are signed in to, at the same time, and nothing is sent or read.
import nodemailer from 'nodemailer'
import type { ChannelAccount, ChannelCheck } from '../channel.ts'
import { problemOf } from '../check.ts'
import { openMailbox } from './mailbox.ts'
import { smtpSignIn } from './smtp-sign-in.ts'

type Options = { timeoutMs: number }

export const checkEmail = async (account: ChannelAccount, options: Options): Promise<ChannelCheck[]> => {
  const { imapUrl, inboundSecret } = account.secrets
  return Promise.all([
    checkSending(account, options),
    imapUrl
      ? checkMailbox(account, options)
      : {
          name: 'Incoming mail',
          ok: inboundSecret !== undefined,
          message: inboundSecret
            ? 'Mail is to be posted to the webhook address with the inbound secret.'
            : 'Neither a mailbox nor an inbound secret is set: no mail comes in.',
        },
  ])
}

const checkSending = async (account: ChannelAccount, { timeoutMs }: Options): Promise<ChannelCheck> => {
  const name = 'Outgoing mail'
  const transport = nodemailer.createTransport({
    ...smtpSignIn(account),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  })
  try {
    await within(timeoutMs, transport.verify())
    return { name, ok: true, message: 'The mail server accepts the sign-in.' }
  } catch (error) {
    return { name, ok: false, message: sendingProblem(error as SmtpError) }
  } finally {
    transport.close()
  }
}

type SmtpError = Error & { code?: string; response?: string }

const RESPONSE_MAX = 200

const sendingProblem = ({ code, response }: SmtpError): string => {
  const said = response ? `: ${response.replaceAll(/\p{Cc}+/gu, ' ').slice(0, RESPONSE_MAX)}` : '.'
  if (code === 'EAUTH') return `The mail server does not accept the sign-in${said}`
  if (code === 'ETLS') return 'The mail server does not agree on an encrypted connection.'
  if (code === 'EDNS' || code === 'ENOTFOUND') return 'There is no mail server of that name.'
  if (code === 'ETIMEDOUT') return 'The mail server did not answer in time.'
  return response ? `The mail server answered${said}` : 'The mail server cannot be reached.'
}

const checkMailbox = async (account: ChannelAccount, { timeoutMs }: Options): Promise<ChannelCheck> => {
  const name = 'Incoming mail'
  const stopping = new AbortController()
  try {
    const options = { sizeMax: 0, signal: stopping.signal }
    const mailbox = await within(timeoutMs, openMailbox(account, options))
    await mailbox.close().catch(() => {})
    return { name, ok: true, message: 'The mailbox can be read.' }
  } catch (error) {
    const isLate = (error as SmtpError).code === 'ETIMEDOUT'
    return { name, ok: false, message: isLate ? 'The mail server did not answer in time.' : problemOf(error) }
  } finally {
    stopping.abort()
  }
}

/** Rejects with the code ETIMEDOUT when the work takes longer; its own later failure is nobody's then. */
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
