// Mail from Foyer itself, i.e. sign-in codes. Mail to customers is sent by the email channel.
import { isLoopbackUrl } from './loopback.ts'

export type Mail = {
  to: string
  subject: string
  text: string
  /** Where the reader turns such emails off. */
  unsubscribeUrl?: string
}

export type Mailer = {
  /** Resolves when the server has accepted it; rejects with the server's response, without the mail. */
  send: (mail: Mail) => Promise<void>
  /** Set if only mail to one workspace's own members may be sent this way. */
  onlyWorkspaceId: string | null
  close: () => Promise<void>
}

const CONNECT_TIMEOUT_MS = 10_000
const SOCKET_TIMEOUT_MS = 20_000

/** The sender: the user in SMTP_URL if it is an address, otherwise no-reply at our own host. */
const senderOf = (smtpUrl: string, publicUrl: string): string => {
  const user = decodeURIComponent(new URL(smtpUrl).username)
  return /^[^\s@<>]+@[^\s@<>]+$/.test(user) ? user : `no-reply@${new URL(publicUrl).hostname}`
}

const optionsOf = (smtpUrl: string) => {
  const { protocol, password } = new URL(smtpUrl)
  return {
    url: smtpUrl,
    // Passwords are sent encrypted, except to this machine. The URL can override this: ?requireTLS=false.
    requireTLS: protocol === 'smtp:' && password !== '' && !isLoopbackUrl(smtpUrl),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Connects and signs in without sending anything. Rejects with the reason. */
export const verifyMailServer = async (smtpUrl: string): Promise<void> => {
  const transport = (await import('nodemailer')).default.createTransport(optionsOf(smtpUrl))
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

export const makeMailer = (
  smtpUrl: string,
  publicUrl: string,
  { onlyWorkspaceId = null }: { onlyWorkspaceId?: string | null } = {},
): Mailer => {
  // Loaded for the first mail, which makes the start faster.
  const open = async () => (await import('nodemailer')).default.createTransport(optionsOf(smtpUrl))
  let transport: ReturnType<typeof open> | undefined
  const from = { name: 'Foyer', address: senderOf(smtpUrl, publicUrl) }
  return {
    async send({ to, subject, text, unsubscribeUrl }) {
      try {
        transport ??= open()
        await (await transport).sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          headers: {
            'Auto-Submitted': 'auto-generated',
            ...(unsubscribeUrl && { 'List-Unsubscribe': `<${unsubscribeUrl}>` }),
          },
        })
      } catch (error) {
        const { code, responseCode } = error as { code?: string; responseCode?: number }
        throw new Error(
          `the mail server rejected an email: ${[code, responseCode].filter(Boolean).join(' ')}`,
        )
      }
    },
    onlyWorkspaceId,
    close: async () => (await transport)?.close(),
  }
}
