// Reads a mailbox over IMAP: what has come since a position, in order, and then the news as they arrive. It changes
// nothing there, not even what is read. One connection each; when it breaks, whoever uses it opens another one.
// https://www.rfc-editor.org/rfc/rfc9051
import { setTimeout as delay } from 'node:timers/promises'
import { ImapFlow, type ImapFlowError } from 'imapflow'
import { type ChannelAccount, DeliveryError } from '../channel.ts'
import { accessTokenOf, forgetAccessToken, type OauthSecrets } from './access-token.ts'

const FOLDER_DEFAULT = 'INBOX'
const CONNECT_TIMEOUT_MS = 30_000
/** Routers drop what is silent for long without a word, so waiting begins anew (RFC 9051 allows up to 29 minutes). */
const IDLE_MAX_MS = 5 * 60_000
/** What is asked for at once: not more messages, nor more bytes of them, than these. */
const CHUNK_MAX = 50
const CHUNK_MAX_BYTES = 8 * 1024 * 1024
/** UIDs whose sizes are looked up in one go. */
const LOOK_MAX = 500
/** Of a message beyond sizeMax only so much is read: its head, and the beginning of its text. */
const HEAD_BYTES = 1024 * 1024

/** Codes of RFC 5530 and of the large providers that say "not now" where others say "wrong password". */
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
  /** Larger than asked for: only the beginning. */
  isCut: boolean
}

export type Mailbox = {
  /** As long as it is the same, a UID names the same message. */
  uidValidity: string
  /** The UID that the next message was going to get when the folder was opened. */
  uidNext: number
  /** What has a UID above `after` (and came since then), lowest first, in chunks that fit into memory. */
  read: (after: number, since?: Date) => AsyncIterable<MailboxMail[]>
  /** Returns once something may have come, or after maxMs. Throws when the connection is gone. */
  waitForNews: (maxMs: number) => Promise<void>
  close: () => Promise<void>
}

export type MailboxOptions = {
  /** Of a larger message only the beginning is read. */
  sizeMax: number
  /** Breaks everything off. */
  signal: AbortSignal
}

type Place = { host: string; port: number; secure: boolean; user: string; pass: string; folder: string }

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** imaps://user:password@host:993/Folder; imap:// takes TLS when the server offers it. The folder may be left out. */
export const parseImapUrl = (text: string): Place => {
  const url = new URL(text)
  const secure = url.protocol === 'imaps:'
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 993 : 143),
    secure,
    user: decoded(url.username),
    pass: decoded(url.password),
    folder: decoded(url.pathname.slice(1)) || FOLDER_DEFAULT,
  }
}

/** Signs in and opens the folder. Throws a DeliveryError: `refused` when somebody has to mend the settings, else `retry`. */
export const openMailbox = async (
  account: ChannelAccount,
  { sizeMax, signal }: MailboxOptions,
): Promise<Mailbox> => {
  const { host, port, secure, user, pass, folder } = parseImapUrl(account.secrets.imapUrl ?? '')
  const oauth: OauthSecrets = account.secrets
  const accessToken = oauth.oauthRefreshToken
    ? await accessTokenOf(oauth, { timeoutMs: CONNECT_TIMEOUT_MS })
    : undefined
  const client = new ImapFlow({
    host,
    port,
    secure,
    auth: { user, ...(accessToken ? { accessToken } : { pass }) },
    logger: false,
    disableAutoIdle: true,
    maxIdleTime: IDLE_MAX_MS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    // Longer than an IDLE, which is silent by design.
    socketTimeout: IDLE_MAX_MS + CONNECT_TIMEOUT_MS,
    clientInfo: { name: 'Foyer' },
  })
  // Without a listener an error would end the process; every call that was waiting fails with it as well.
  client.on('error', () => {})
  const close = () => client.close()
  signal.addEventListener('abort', close, { once: true })
  client.once('close', () => signal.removeEventListener('abort', close))
  try {
    await client.connect()
    const { uidValidity, uidNext } = await client.mailboxOpen(folder, { readOnly: true })
    return { uidValidity: String(uidValidity), uidNext, ...readerOf(client, { sizeMax, signal }) }
  } catch (error) {
    client.close()
    const failure = toDeliveryError(error as ImapFlowError)
    if (failure.code === 'CREDENTIALS') forgetAccessToken(oauth)
    throw failure
  }
}

const toDeliveryError = (error: ImapFlowError): DeliveryError => {
  const said = error.responseText ?? error.reason ?? error.message
  if (error.authenticationFailed && !PASSING_CODES.has(error.serverResponseCode ?? ''))
    return new DeliveryError('refused', 'CREDENTIALS', `The mail server refuses the sign-in: ${said}`, {
      cause: error,
    })
  if (error.mailboxMissing)
    return new DeliveryError('refused', 'FOLDER', 'The mailbox has no such folder.', { cause: error })
  return new DeliveryError('retry', error.code ?? 'IMAP', `The mail server cannot be read now: ${said}`, {
    cause: error,
    ...(error.throttleReset !== undefined && { retryAfterMs: error.throttleReset }),
  })
}

const readerOf = (
  client: ImapFlow,
  { sizeMax, signal }: MailboxOptions,
): Pick<Mailbox, 'read' | 'waitForNews' | 'close'> => {
  let hasNews = false
  client.on('exists', () => {
    hasNews = true
  })

  /** The UIDs above one, lowest first. `n:*` names the last message even when it is below n. */
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
          // It ends with the next command, or fails with the connection, which the next command finds out.
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

/** Bounded by number and bytes; what is beyond sizeMax stands alone, because it is read in another way. */
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
