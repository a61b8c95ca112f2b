// Mail from Foyer itself, which is sign-in codes. What goes to customers is the email channel's.
import nodemailer from 'nodemailer'

export type Mail = { to: string; subject: string; text: string }

export type Mailer = {
  /** Resolves when the server has taken it; rejects with what the server said, without the mail. */
  send: (mail: Mail) => Promise<void>
  close: () => void
}

const CONNECT_TIMEOUT_MS = 10_000
const SOCKET_TIMEOUT_MS = 20_000

/** Whose mail it is: the user of SMTP_URL where that is an address, else nobody at our own host. */
const senderOf = (smtpUrl: string, publicUrl: string): string => {
  const user = decodeURIComponent(new URL(smtpUrl).username)
  return /^[^\s@<>]+@[^\s@<>]+$/.test(user) ? user : `no-reply@${new URL(publicUrl).hostname}`
}

export const makeMailer = (smtpUrl: string, publicUrl: string): Mailer => {
  const transport = nodemailer.createTransport({
    url: smtpUrl,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const from = { name: 'Foyer', address: senderOf(smtpUrl, publicUrl) }
  return {
    async send({ to, subject, text }) {
      try {
        await transport.sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
      } catch (error) {
        const { code, responseCode } = error as { code?: string; responseCode?: number }
        throw new Error(
          `the mail server did not take a mail: ${[code, responseCode].filter(Boolean).join(' ')}`,
        )
      }
    },
    close: () => transport.close(),
  }
}
