// The providers and customers of the demo: the sandbox, started beside Foyer, and the demo's channels connected to it.
// Only this file knows both. From here on they meet over HTTP and SMTP alone, as with the real providers.
import { createHmac, randomBytes } from 'node:crypto'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/sandbox.ts'
import type { Ctx } from '../ctx.ts'
import { addChannelAccount } from '../resources/channel-accounts/add-channel-account.ts'
import { listChannelAccounts, openSecrets } from '../resources/channel-accounts/queries.ts'
import { updateChannelAccount } from '../resources/channel-accounts/update-channel-account.ts'
import { letTimePass } from './let-time-pass.ts'
import { listPastThreads } from './past-threads.ts'

export type DemoSandbox = {
  /** Where it listens, on this machine only. */
  url: string
  /** Where people open its page. From another machine the link carries a key. */
  pageUrl: string
  /** What its controls ask for. */
  controlKey: string
  /** What a visitor from another machine shows to see the page. */
  visitorKey: string
  /** The channel accounts whose other side it is. */
  channelIds: { whatsapp: string }
  /** The threads as Foyer knows them, shown on the customers' phones. */
  restore: () => Promise<void>
  stop: () => Promise<void>
}

const WHATSAPP_NUMBER = {
  id: '106540352242922',
  businessAccountId: '102290129340398',
  displayPhoneNumber: '+1 555-078-3881',
  verifiedName: 'Hollow & Kiln',
}
const PROBE_TIMEOUT_MS = 2_000

const newSecret = (): string => randomBytes(24).toString('base64url')
const isLoopback = (url: string): boolean => /^(localhost|127\..*|\[::1\])$/.test(new URL(url).hostname)

/**
 * Starts the sandbox on the port that the channels know it by, or on another when that one is taken, and tells them so.
 * `ownUrl` is where it reaches this process. Of several processes on a machine the first one has the sandbox.
 */
export const startDemoSandbox = async (ctx: Ctx, ownUrl: string): Promise<DemoSandbox> => {
  const known = (await listChannelAccounts(ctx, 'whatsapp')).find(
    ({ settings: { apiUrl } }) => apiUrl && isLoopback(apiUrl),
  )
  const secrets = known
    ? openSecrets(ctx.seal, known)
    : { accessToken: `EAA${newSecret()}`, appSecret: newSecret(), verifyToken: newSecret() }
  const keyFor = (purpose: string): string =>
    createHmac('sha256', secrets.appSecret).update(`sandbox ${purpose}`).digest('base64url')
  const controlKey = keyFor('control')
  const visitorKey = keyFor('visitor')

  const { url, sandbox } = await listen(known?.settings.apiUrl ?? null, {
    ...secrets,
    controlKey,
    onAdvance: (hours) => letTimePass(ctx, hours),
    numbers: [WHATSAPP_NUMBER],
    customers: true,
    webhookTime: 'real',
    refusedBy: { '131047': 'answer' },
  })

  if (known && known.settings.apiUrl !== url)
    await updateChannelAccount(ctx, { channelId: known.id, changes: { apiUrl: url } })
  const whatsappId =
    known?.id ??
    (
      await addChannelAccount(ctx, {
        channel: 'whatsapp',
        fields: {
          ...secrets,
          phoneNumber: WHATSAPP_NUMBER.displayPhoneNumber,
          phoneNumberId: WHATSAPP_NUMBER.id,
          businessAccountId: WHATSAPP_NUMBER.businessAccountId,
          apiUrl: url,
        },
      })
    ).id
  sandbox?.control.set({ webhookUrl: `${ownUrl}/webhooks/whatsapp/${whatsappId}` })

  return {
    url,
    pageUrl: `${ctx.publicUrl}/sandbox/${isLoopback(ctx.publicUrl) ? '' : `?key=${visitorKey}`}`,
    controlKey,
    visitorKey,
    channelIds: { whatsapp: whatsappId },
    restore: async () => {
      if (!sandbox) return
      for (const { name, username, identities, entries } of await listPastThreads(ctx, whatsappId))
        sandbox.control.restore({
          phone: identities.whatsapp_id ?? null,
          userId: identities.whatsapp_user_id ?? null,
          profileName: name,
          username,
          entries,
        })
    },
    stop: async () => sandbox?.stop(),
  }
}

/** No sandbox of its own where another process of this demo has it already. */
const listen = async (
  knownUrl: string | null,
  options: SandboxOptions & { controlKey: string },
): Promise<{ url: string; sandbox: Sandbox | null }> => {
  if (knownUrl !== null) {
    try {
      const sandbox = await startSandbox({ ...options, port: Number(new URL(knownUrl).port) })
      return { url: sandbox.url, sandbox }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      if (await answersAsOurs(knownUrl, options.controlKey)) return { url: knownUrl, sandbox: null }
    }
  }
  const sandbox = await startSandbox(options)
  return { url: sandbox.url, sandbox }
}

const answersAsOurs = async (url: string, controlKey: string): Promise<boolean> => {
  try {
    const { status } = await fetch(`${url}/control/settings`, {
      headers: { 'x-sandbox-key': controlKey },
      redirect: 'manual',
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    })
    return status === 200
  } catch {
    return false
  }
}
