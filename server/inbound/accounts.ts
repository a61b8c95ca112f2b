// The channel accounts that webhooks are for.
import { type ChannelSecrets, type ChannelSettings, DEFINITIONS } from '../../channels/definitions.ts'
import {
  findChannelAccountAnywhere,
  listChannelAccounts,
  openSecrets,
} from '../domain/channel-accounts/queries.ts'
import type { StoredChannelAccount } from '../domain/channel-accounts/schema.ts'
import type { ChannelName, ChannelProblem } from '../platform/db/tables.ts'
import type { ApiDeps } from '../platform/http/api.ts'

/** A channel account as a webhook finds it, with the workspace's others of the kind that share its credentials. */
export type Connected<C extends ChannelName> = {
  id: string
  workspaceId: string
  settings: ChannelSettings[C]
  secrets: ChannelSecrets[C]
  problem?: ChannelProblem | null
  workedAt?: string | null
  /** The provider's id of a number, page or bot → our account. */
  byName: ReadonlyMap<string, string>
}

export type Naming = {
  /** How the provider identifies the account in webhooks. */
  nameOf: (account: Pick<StoredChannelAccount, 'address' | 'settings'>) => string
  /** What accounts that may use each other's webhook URL have in common: the secret that authenticates them. */
  secretOf: (secrets: Record<string, string | undefined>) => string
}

/** Undefined if each account has its own webhook URL. */
export const namingOf = (channel: ChannelName): Naming | undefined => {
  const { fields, sharedWebhook } = DEFINITIONS[channel]
  if (!sharedWebhook) return undefined
  const { nameField, secretField } = sharedWebhook
  return {
    nameOf: ({ address, settings }) =>
      fields[nameField]?.in === 'address'
        ? (address ?? '')
        : String(new Map(Object.entries(settings)).get(nameField)),
    secretOf: (secrets) => secrets[secretField] ?? '',
  }
}

/** How long until a changed credential or a new number takes effect. */
export const KEPT_MS = 5_000
const KEPT_MAX = 1_000

/** Accounts by id, cached briefly: busy numbers get hundreds of webhooks a second. */
export const makeAccounts = <C extends ChannelName>(
  { db, seal, now }: Pick<ApiDeps, 'db' | 'seal' | 'now'>,
  channel: C,
) => {
  const naming = namingOf(channel)
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
      const byName = new Map<string, string>()
      if (naming) {
        const all = await listChannelAccounts({ db, workspaceId }, channel)
        for (const other of all)
          if (other.id === id || naming.secretOf(openSecrets(seal, other)) === naming.secretOf(secrets))
            byName.set(naming.nameOf(other), other.id)
        byName.set(naming.nameOf(account), id)
      }
      const connected: Connected<C> = {
        id,
        workspaceId,
        // The settings and secrets of an account of this kind.
        settings: account.settings as ChannelSettings[C],
        secrets,
        problem: account.problem ?? null,
        workedAt: account.workedAt ?? null,
        byName,
      }
      if (kept.size >= KEPT_MAX) kept.clear()
      kept.set(id, { connected, atMs: nowMs })
      return connected
    },
  }
}
