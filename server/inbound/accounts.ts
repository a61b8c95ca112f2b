// The channel accounts that webhooks come in for.
import type { ChannelName } from '../db/tables.ts'
import type { ApiDeps } from '../http/api.ts'
import {
  findChannelAccountAnywhere,
  listChannelAccounts,
  openSecrets,
} from '../resources/channel-accounts/queries.ts'
import type {
  ChannelAccountSecrets,
  ChannelAccountSettings,
  StoredChannelAccount,
} from '../resources/channel-accounts/schema.ts'

/** A channel account as a webhook finds it, with the workspace's others of the kind that share its credentials. */
export type Connected<C extends ChannelName> = {
  id: string
  workspaceId: string
  settings: ChannelAccountSettings[C]
  secrets: ChannelAccountSecrets[C]
  /** The provider's name of a number, page or bot → our account. */
  byName: ReadonlyMap<string, string>
}

type Naming<C extends ChannelName> = {
  /** How the provider names the account in what it sends. */
  nameOf: (account: StoredChannelAccount<C>) => string
  /** What the accounts that may come in by each other's address have in common: the secret that proves them. */
  secretOf: (secrets: ChannelAccountSecrets[C]) => string
}

/** How long a changed credential or a new number may take to be noticed. */
const KEPT_MS = 5_000
const KEPT_MAX = 1_000

/** Accounts by id, kept for a moment: busy numbers get hundreds of webhooks a second. */
export const makeAccounts = <C extends ChannelName>(
  { db, seal, now }: Pick<ApiDeps, 'db' | 'seal' | 'now'>,
  channel: C,
  { nameOf, secretOf }: Naming<C>,
) => {
  const kept = new Map<string, { connected: Connected<C>; atMs: number }>()
  return {
    find: async (id: string): Promise<Connected<C> | undefined> => {
      const known = kept.get(id)
      const nowMs = now().getTime()
      if (known && Math.abs(nowMs - known.atMs) < KEPT_MS) return known.connected
      const account = await findChannelAccountAnywhere(db, channel, id)
      if (!account) return undefined
      const { workspaceId } = account
      const secrets = openSecrets(seal, account)
      const all = await listChannelAccounts({ db, workspaceId }, channel)
      const siblings = all.filter(
        (other) => other.id === id || secretOf(openSecrets(seal, other)) === secretOf(secrets),
      )
      const connected: Connected<C> = {
        id,
        workspaceId,
        // The settings and secrets of an account of this very kind.
        settings: account.settings as ChannelAccountSettings[C],
        secrets,
        byName: new Map([
          ...siblings.map((other) => [nameOf(other), other.id] as const),
          [nameOf(account), id] as const,
        ]),
      }
      if (kept.size >= KEPT_MAX) kept.clear()
      kept.set(id, { connected, atMs: nowMs })
      return connected
    },
  }
}
