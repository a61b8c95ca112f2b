// A mail server on loopback that accepts everything unless a test sets its behaviour for a recipient.
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export type Mail = { recipients: string[]; text: string }

type Behaviour = { times: number } & ({ code: number } | { breaks: true } | { hangs: true })

export const startSmtp = async ({ port = 0, answerAfterMs = 0 } = {}) => {
  const taken: Mail[] = []
  const attempts: Mail[] = []
  const behaviours = new Map<string, Behaviour>()
  const refused = new Map<string, number>()

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    closeTimeout: 100,
    onRcptTo({ address }, _session, callback) {
      const code = refused.get(address)
      callback(code ? Object.assign(new Error('No such mailbox'), { responseCode: code }) : null)
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const recipients = session.envelope.rcptTo.map(({ address }) => address)
        const mail = { recipients, text: Buffer.concat(chunks).toString('utf8') }
        attempts.push(mail)
        const behaviour = behaviours.get(recipients[0] ?? '')
        if (!behaviour || behaviour.times-- <= 0) {
          taken.push(mail)
          setTimeout(callback, answerAfterMs)
        } else if ('code' in behaviour)
          callback(Object.assign(new Error('as the test wants it'), { responseCode: behaviour.code }))
        else if ('breaks' in behaviour) {
          // Not in the types: the connection of this session.
          const { connections } = server as unknown as {
            connections: Set<{ session: unknown; _socket: { destroy(): void } }>
          }
          for (const connection of connections)
            if (connection.session === session) connection._socket.destroy()
        }
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((done, fail) => {
    server.once('error', fail)
    server.listen(port, '127.0.0.1', done)
  })
  const address = server.server.address() as AddressInfo
  return {
    port: address.port,
    url: `smtp://127.0.0.1:${address.port}`,
    /** Its behaviour for the next messages to a recipient. */
    answer: (recipient: string, behaviour: Behaviour) => {
      behaviours.set(recipient, behaviour)
    },
    /** Refuses a recipient, whoever else a message goes to; without a code, no longer. */
    refuse: (recipient: string, code?: number) => {
      if (code) refused.set(recipient, code)
      else refused.delete(recipient)
    },
    /** Every email it accepted. */
    taken,
    mailsTo: (recipient: string) => taken.filter(({ recipients }) => recipients.includes(recipient)),
    attemptsTo: (recipient: string) => attempts.filter(({ recipients }) => recipients.includes(recipient)),
    stop: () => new Promise<void>((done) => server.close(() => done())),
  }
}
