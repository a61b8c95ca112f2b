// Reads all mailboxes connected over IMAP, each by one process at a time. A mailbox is reopened when its settings
// change.
import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  findChannelAccount,
  listAccountsAnywhere,
  openSecrets,
} from '../../domain/channel-accounts/queries.ts'
import { recordWorking } from '../../domain/channel-accounts/record-channel-problem.ts'
import type { StoredChannelAccount } from '../../domain/channel-accounts/schema.ts'
import { asCustomer } from '../../platform/ctx/ctx.ts'
import { type SystemDeps, systemCtx } from '../../platform/ctx/system-ctx.ts'
import { type Leases, openLeases } from '../../platform/db/leases.ts'
import { keepLeftover } from '../leftovers/keep-leftover.ts'
import { followMailbox, type MailboxReader } from './read-mailbox.ts'
import { leftoverOfMail, mailAccountOf, prepareEmail, storeEmails } from './receive-email.ts'
import { MAIL_MAX_BYTES } from './routes.ts'

type Account = StoredChannelAccount<'email'>

/** How soon a new mailbox or a changed password is noticed. */
const CHECK_EVERY_MS = 5_000
const RETRY_MS = 2_000

type MailboxesDeps = SystemDeps & {
  connectionString: string
  lookEveryMs?: number
}

type Mailboxes = { stop: () => Promise<void> }

type Followed = { version: string; stop: () => Promise<void> }

export const startMailboxes = (deps: MailboxesDeps): Mailboxes => {
  const stopping = new AbortController()
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        const leases = await openLeases(deps.connectionString)
        try {
          await followAll(deps, leases, AbortSignal.any([stopping.signal, leases.lost]))
        } finally {
          await leases.close()
        }
      } catch (error) {
        if (!stopping.signal.aborted)
          deps.log.warn({ err: error }, 'the mailboxes cannot be checked right now')
      }
      await delay(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

const followAll = async (deps: MailboxesDeps, leases: Leases, signal: AbortSignal): Promise<void> => {
  const followed = new Map<string, Followed>()
  const give = async (id: string): Promise<void> => {
    const one = followed.get(id)
    followed.delete(id)
    await one?.stop()
    if (!leases.lost.aborted) await leases.giveBack(id)
  }
  try {
    while (!signal.aborted) {
      const accounts = (await listAccountsAnywhere(deps.db, 'email')).filter((account) =>
        hasMailbox(deps, account),
      )
      const versions = new Map(accounts.map((account) => [account.id, versionOf(account)]))
      for (const [id, { version }] of [...followed]) if (versions.get(id) !== version) await give(id)
      for (const account of accounts) {
        if (followed.has(account.id) || signal.aborted || !(await leases.take(account.id))) continue
        followed.set(account.id, begin(deps, account, versions.get(account.id)!, signal))
      }
      await delay(deps.lookEveryMs ?? CHECK_EVERY_MS, undefined, { signal }).catch(() => {})
    }
  } finally {
    await Promise.all([...followed.values()].map(({ stop }) => stop()))
  }
}

const begin = (deps: MailboxesDeps, account: Account, version: string, signal: AbortSignal): Followed => {
  const own = new AbortController()
  const following = followMailbox(readerOf(deps, account, AbortSignal.any([own.signal, signal])))
  return {
    version,
    stop: async () => {
      own.abort()
      await following
    },
  }
}

const hasMailbox = ({ seal, log }: MailboxesDeps, account: Account): boolean => {
  try {
    return openSecrets(seal, account).imapUrl !== undefined
  } catch (error) {
    log.error(
      { err: error, channelAccountId: account.id },
      'the credentials of a mailbox cannot be decrypted',
    )
    return false
  }
}

const readerOf = (deps: MailboxesDeps, account: Account, signal: AbortSignal): MailboxReader => {
  const ctx = asCustomer(systemCtx(deps, account.workspaceId))
  const { id, address, settings } = account
  const mailAccount = mailAccountOf(ctx, account, openSecrets(deps.seal, account))
  return {
    ctx,
    channelAccountId: id,
    signal,
    recordWorking: async () => {
      const now = await findChannelAccount(ctx, id)
      if (now) await recordWorking(ctx, now, 'receiving')
    },
    open: () => {
      const secrets = openSecrets(deps.seal, account) as Record<string, string>
      return ctx.channels.email.openMailbox(
        { id, address, settings, secrets },
        { sizeMax: MAIL_MAX_BYTES, signal },
      )
    },
    prepare: (mails) =>
      Promise.all(mails.map(({ raw, isCut }) => prepareEmail(ctx, mailAccount, raw, { isCut }))),
    store: async (mails, alongside) => {
      await storeEmails(ctx, mailAccount, mails, { alongside })
    },
    putAside: (ctx, { raw }, error) => keepLeftover(ctx, leftoverOfMail(id, raw, error)),
  }
}

const versionOf = ({ settings, secrets, address }: Account): string =>
  createHash('sha256')
    .update(JSON.stringify([settings, address]))
    .update(secrets ?? '')
    .digest('base64')
