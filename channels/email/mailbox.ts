// Reads a mailbox over IMAP: everything after a position, in order, then new mail as it arrives. It changes nothing,
// not even read flags. One connection each; if it breaks, the caller opens another.
// https://www.rfc-editor.org/rfc/rfc9051
import { setTimeout as delay } from 'node:timers/promises'
import type { ImapFlow, ImapFlowError } from 'imapflow'
import { type ChannelAccount, DeliveryError, SIGN_IN_PUT_OFF } from '../contract/channel.ts'
import { guardConnection } from '../protocol/outbound.ts'
import { lineOf } from '../protocol/read-json.ts'
import { accessTokenOf, forgetAccessToken, type OauthSecrets } from './access-token.ts'
import { NO_TLS, parseServerAddress } from './server-address.ts'

const FOLDER_DEFAULT = 'INBOX'
const CONNECT_TIMEOUT_MS = 30_000
/** TCP retries after 1, 3, 7 and 15 s; waiting longer would only delay noticing that the server is reachable again. */
const DIAL_TIMEOUT_MS = 14_000
/** Routers drop idle connections silently, so IDLE is renewed (RFC 9051 allows up to 29 minutes). */
const IDLE_MAX_MS = 5 * 60_000
/** The maximum number of messages and of bytes per fetch. */
const CHUNK_MAX = 50
const CHUNK_MAX_BYTES = 8 * 1024 * 1024
/** UIDs whose sizes are requested at once. */
const LOOK_MAX = 500
/** For messages over sizeMax, only this much is read: the headers and the start of the text. */
const HEAD_BYTES = 1024 * 1024

/** Codes of RFC 5530 and large providers for temporary failures that others report as wrong passwords. */
const PASSING_CODES = new Set([
  'UNAVAILABLE',
  'INUSE',
  'LIMIT',
  'SERVERBUG',
  'CONTACTADMIN',
  'THROTTLED',
  'OVERQUOTA',
])

export type MailboxMail = {
  uid: number
  raw: Buffer
  /** Over the limit: only the beginning. */
  isCut: boolean
}

export type Mailbox = {
  /** While it stays the same, a UID identifies the same message. */
  uidValidity: string
  /** The next message's UID when the folder was opened. */
  uidNext: number
  /** Messages with a UID above `after` (and received since then), lowest first, in chunks that fit in memory. */
  read: (after: number, since?: Date) => AsyncIterable<MailboxMail[]>
  /** Returns when there may be new mail, or after maxMs. Throws if the connection is lost. */
  waitForNews: (maxMs: number) => Promise<void>
  close: () => Promise<void>
}

export type MailboxOptions = {
  /** Of larger messages, only the beginning is read. */
  sizeMax: number
  /** Aborts everything. */
  signal: AbortSignal
}

/** Signs in and opens the folder. Throws a DeliveryError: `refused` if the settings have to be fixed, else `retry`. */
export const openMailbox = async (
  account: ChannelAccount,
  { sizeMax, signal }: MailboxOptions,
): Promise<Mailbox> => {
  const { host, port, secure, user, pass, path, needsTls } = parseServerAddress(account.secrets.imapUrl ?? '')
  const guarded = guardConnection(host, port)
  const oauth: OauthSecrets = account.secrets
  const accessToken = oauth.oauthRefreshToken
    ? await accessTokenOf(oauth, { timeoutMs: CONNECT_TIMEOUT_MS })
    : undefined
  // Loaded with the first mailbox, for a faster start.
  const { ImapFlow } = await import('imapflow')
  const client = new ImapFlow({
    host,
    port,
    secure,
    ...(needsTls && { doSTARTTLS: true }),
    // Passed to net.connect and tls.connect.
    tls: guarded,
    // Presets of providers name no user: the address is.
    auth: { user: user || (account.address ?? ''), ...(accessToken ? { accessToken } : { pass }) },
    logger: false,
    disableAutoIdle: true,
    maxIdleTime: IDLE_MAX_MS,
    connectionTimeout: DIAL_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    // Longer than an IDLE, which is silent by design.
    socketTimeout: IDLE_MAX_MS + CONNECT_TIMEOUT_MS,
    clientInfo: { name: 'Foyer' },
  })
  // Without a listener an error would end the process; pending calls fail with it anyway.
  client.on('error', () => {})
  const close = () => client.close()
  signal.addEventListener('abort', close, { once: true })
  client.once('close', () => signal.removeEventListener('abort', close))
  try {
    await client.connect()
    const { uidValidity, uidNext } = await client.mailboxOpen(path || FOLDER_DEFAULT, { readOnly: true })
    return { uidValidity: String(uidValidity), uidNext, ...readerOf(client, { sizeMax, signal }) }
  } catch (error) {
    client.close()
    const failure = toDeliveryError(error as ImapFlowError)
    if (failure.code === 'CREDENTIALS') forgetAccessToken(oauth)
    throw failure
  }
}

const SAID_MAX = 200

/** Only passes on a mail server's response: whatever else answers at that address must not be disclosed. */
const toDeliveryError = (error: ImapFlowError): DeliveryError => {
  if (error instanceof DeliveryError) return error
  const said = lineOf(error.responseText, SAID_MAX)
  if (error.tlsFailed)
    return new DeliveryError('refused', 'TLS', NO_TLS, { cause: error, concerns: 'account' })
  if (error.authenticationFailed && !PASSING_CODES.has(error.serverResponseCode ?? ''))
    return new DeliveryError(
      'refused',
      'CREDENTIALS',
      `The mail server rejected the sign-in${said ? `: ${said}` : '.'}`,
      {
        cause: error,
      },
    )
  if (error.mailboxMissing)
    return new DeliveryError('refused', 'FOLDER', 'The mailbox folder was not found.', { cause: error })
  return new DeliveryError(
    'retry',
    error.authenticationFailed ? SIGN_IN_PUT_OFF : (error.code ?? 'IMAP'),
    `The mailbox can’t be read right now${said ? `: ${said}` : '.'}`,
    {
      cause: error,
      ...(error.throttleReset !== undefined && { retryAfterMs: error.throttleReset }),
    },
  )
}

const readerOf = (
  client: ImapFlow,
  { sizeMax, signal }: MailboxOptions,
): Pick<Mailbox, 'read' | 'waitForNews' | 'close'> => {
  let hasNews = false
  client.on('exists', () => {
    hasNews = true
  })

  /** The UIDs above one, lowest first. `n:*` includes the last message even if its UID is below n. */
  const uidsAfter = async (uid: number, since: Date | undefined): Promise<number[]> => {
    const found = await client.search({ uid: `${uid + 1}:*`, ...(since && { since }) }, { uid: true })
    return (found || []).filter((one) => one > uid).sort((a, b) => a - b)
  }

  async function* read(after: number, since?: Date): AsyncGenerator<MailboxMail[]> {
    const uids = await uidsAfter(after, since)
    for (let at = 0; at < uids.length; at += LOOK_MAX) {
      const looked = await client.fetchAll(
        uids.slice(at, at + LOOK_MAX).join(','),
        { uid: true, size: true },
        { uid: true },
      )
      const sized = looked.map(({ uid, size }) => ({ uid, size: size ?? 0 })).sort((a, b) => a.uid - b.uid)
      for (const chunk of chunksOf(sized)) {
        if (signal.aborted) return
        yield await fetchChunk(chunk)
      }
    }
  }

  const fetchChunk = async (chunk: { uid: number; size: number }[]): Promise<MailboxMail[]> => {
    const isLarge = chunk[0]!.size > sizeMax
    const source = isLarge ? { start: 0, maxLength: HEAD_BYTES } : true
    const mails = await client.fetchAll(
      chunk.map(({ uid }) => uid).join(','),
      { uid: true, source },
      { uid: true },
    )
    return mails
      .filter(({ source }) => source !== undefined)
      .map(({ uid, source }) => ({ uid, raw: source!, isCut: isLarge }))
      .sort((a, b) => a.uid - b.uid)
  }

  return {
    read,
    waitForNews: async (maxMs) => {
      const waiting = new AbortController()
      const until = AbortSignal.any([waiting.signal, signal])
      const wake = () => waiting.abort()
      if (hasNews || !client.usable) wake()
      client.on('exists', wake).on('close', wake)
      try {
        if (!until.aborted) {
          // It ends with the next command, or fails with the connection, which the next command will notice.
          client.idle().catch(() => {})
          await delay(maxMs, undefined, { signal: until }).catch(() => {})
        }
      } finally {
        client.off('exists', wake).off('close', wake)
      }
      hasNews = false
      if (!signal.aborted) await client.noop()
    },
    close: async () => {
      if (client.usable && !signal.aborted) await client.logout().catch(() => {})
      client.close()
    },
  }
}

/** Bounded in number and bytes; messages over sizeMax get their own chunk because they are fetched differently. */
function* chunksOf(mails: { uid: number; size: number }[]): Generator<{ uid: number; size: number }[]> {
  let chunk: { uid: number; size: number }[] = []
  let bytes = 0
  for (const mail of mails) {
    if (chunk.length > 0 && (chunk.length === CHUNK_MAX || bytes + mail.size > CHUNK_MAX_BYTES)) {
      yield chunk
      chunk = []
      bytes = 0
    }
    chunk.push(mail)
    bytes += mail.size
  }
  if (chunk.length > 0) yield chunk
}
