// The mail server that the business sends through. It accepts everything unless a failure was requested.
import { SMTPServer } from 'smtp-server'
import { urlOf } from '../http.ts'
import type { Hub } from '../hub.ts'
import type { Mailbox } from './mailbox.ts'

const MAIL_MAX_BYTES = 50 * 1024 * 1024
const CLOSE_TIMEOUT_MS = 100

const REPLIES: Record<number, string> = {
  421: '4.3.0 Service not available, closing transmission channel',
  450: '4.2.1 Mailbox unavailable, try again later',
  451: '4.3.0 Requested action aborted: local error in processing',
  550: '5.1.1 No such user here',
  552: '5.3.4 Message size exceeds fixed limit',
  554: '5.7.1 Rejected by policy',
}
/** Sent after the message data; all other codes are sent in response to RCPT TO. */
const SENT_AFTER_DATA = new Set([451, 552, 554])

const refusal = (code: number): Error =>
  Object.assign(new Error(REPLIES[code] ?? 'Refused'), { responseCode: code })

export const startSmtp = async (
  hub: Hub,
  mailbox: Mailbox,
  {
    port = 0,
    host = '127.0.0.1',
    isAccessToken = () => true,
  }: { port?: number; host?: string; isAccessToken?: (token: string) => boolean } = {},
): Promise<{ url: string; stop: () => Promise<void> }> => {
  const personAt = (address: string | undefined) => (address ? hub.people.byEmail(address)?.id : undefined)
  const refuse = (code: number): Error => {
    hub.feed.publish('refused', () => ({ app: 'mail', code, message: REPLIES[code] ?? '' }))
    return refusal(code)
  }

  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    size: MAIL_MAX_BYTES,
    closeTimeout: CLOSE_TIMEOUT_MS,
    authMethods: ['PLAIN', 'LOGIN', 'XOAUTH2'],
    onAuth: ({ method, accessToken = '' }, _session, done) =>
      method === 'XOAUTH2' && !isAccessToken(accessToken)
        ? done(null, { data: { status: '401', schemes: 'bearer' } })
        : done(null, { user: 'anyone' }),
    onRcptTo: ({ address }, _session, done) => {
      const failure = hub.failures.find('mail', personAt(address))
      const code = failure?.code ?? 550
      if (failure?.kind !== 'refuse' || SENT_AFTER_DATA.has(code)) return done()
      hub.failures.take('mail', personAt(address))
      done(refuse(code))
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => {
        if (!stream.sizeExceeded) chunks.push(chunk)
      })
      stream.on('end', () => {
        if (stream.sizeExceeded) return done(refusal(552))
        const recipients = session.envelope.rcptTo.map(({ address }) => address)
        const failure = hub.failures.take('mail', personAt(recipients[0]))
        const raw = Buffer.concat(chunks)
        const take = () => mailbox.receive(raw, recipients)
        switch (failure?.kind) {
          case 'refuse':
            return done(refuse(failure.code ?? 550))
          case 'hang':
          case 'drop':
            if (failure.isAccepted) take().catch(console.error)
            return failure.kind === 'drop' ? breakOff(session) : undefined
          default:
            take().then(
              () => {
                done()
                if (failure?.kind === 'fail') bounce(recipients)
              },
              (error: unknown) => {
                console.error(error)
                done(refusal(451))
              },
            )
            return undefined
        }
      })
    },
  })
  server.on('error', () => {})

  /** Bounces messages shortly after accepting them. */
  const bounce = (recipients: readonly string[]): void => {
    const person = recipients[0] ? hub.people.byEmail(recipients[0]) : undefined
    const last = person ? mailbox.last(person.id) : null
    if (person && last) mailbox.write(person, { kind: 'bounce', replyTo: last.id }).catch(console.error)
  }

  const breakOff = (session: unknown): void => {
    // The types don't declare this session's connections.
    const { connections } = server as unknown as {
      connections: Set<{ session: unknown; _socket: { destroy(): void } }>
    }
    for (const connection of connections) if (connection.session === session) connection._socket.destroy()
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return {
    url: urlOf('smtp', server.server),
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
