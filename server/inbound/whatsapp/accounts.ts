import type { ApiDeps } from '../../http/api.ts'
import {
  findChannelAccountAnywhere,
  listChannelAccounts,
  openSecrets,
} from '../../resources/channel-accounts/queries.ts'
import type { ChannelAccountSecrets } from '../../resources/channel-accounts/schema.ts'

/** A channel account as a webhook finds it, with the other numbers of the workspace that use the same app. */
export type Connected = {
  id: string
  workspaceId: string
  secrets: ChannelAccountSecrets['whatsapp']
  /** The provider's id of a sending number → our account. */
  byPhoneNumberId: ReadonlyMap<string, string>
}

/** How long a changed credential or a new number may take to be noticed. */
const KEPT_MS = 5_000
const KEPT_MAX = 1_000

/** Accounts by id, kept for a moment: busy numbers get hundreds of webhooks a second. */
export const makeAccounts = ({ db, seal, now }: Pick<ApiDeps, 'db' | 'seal' | 'now'>) => {
  const kept = new Map<string, { connected: Connected; atMs: number }>()
  return {
    find: async (id: string): Promise<Connected | undefined> => {
      const known = kept.get(id)
      const nowMs = now().getTime()
      if (known && Math.abs(nowMs - known.atMs) < KEPT_MS) return known.connected
      const account = await findChannelAccountAnywhere(db, 'whatsapp', id)
      if (!account) return undefined
      const { workspaceId } = account
      const secrets = openSecrets(seal, account)
      // One app has one address for the webhooks of all its numbers. The app's secret is what they have in common.
      const numbers = await listChannelAccounts({ db, workspaceId }, 'whatsapp')
      const siblings = numbers.filter(
        (other) => other.id === id || openSecrets(seal, other).appSecret === secrets.appSecret,
      )
      const connected: Connected = {
        id,
        workspaceId,
        secrets,
        byPhoneNumberId: new Map([
          ...siblings.map(({ settings, id }) => [settings.phoneNumberId, id] as const),
          [account.settings.phoneNumberId, id] as const,
        ]),
      }
      if (kept.size >= KEPT_MAX) kept.clear()
      kept.set(id, { connected, atMs: nowMs })
      return connected
    },
  }
}
