// The demo's providers and customers: starts the sandbox beside Foyer and connects the demo's channels to it. Only this
// file knows both. After that they talk over HTTP and SMTP only, as with the real providers.
import { createHmac } from 'node:crypto'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/sandbox.ts'
import { OIDC_CALLBACK_PATH } from '../domain/accounts/oidc/provider.ts'
import { webhookUrl } from '../domain/channel-accounts/add-channel-account.ts'
import { MAILBOX_OAUTH_PATH } from '../domain/channel-accounts/mailbox-oauth/provider.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { isLoopbackUrl } from '../platform/loopback.ts'
import { backdateThreads } from './backdate-threads.ts'
import { listPastThreads, type PastThread } from './past-threads.ts'
import {
  type ChannelIds,
  findSandboxAccounts,
  pointSandboxAccounts,
  type SandboxAccounts,
  SHOP,
  SUPPORT_ADDRESS,
} from './sandbox-accounts.ts'

export type DemoSandbox = {
  /** Where it listens, on this machine only. */
  url: string
  /** Catches mail to addresses outside the demo. */
  smtpUrl: string
  /** The address of its page, including the key. */
  pageUrl: string
  /** The key that its controls require. */
  controlKey: string
  /** The key that a visitor needs to see the page. */
  visitorKey: string
  /** What signs in with it as an identity provider. */
  oidc: { issuer: string; clientId: string; clientSecret: string }
  /** The channel accounts that it simulates the provider of. */
  channelIds: ChannelIds
  /** The Telegram id of a customer who exists from the start. */
  telegramIdOf: (name: string) => string | null
  /** Shows Foyer's existing threads on the customers' phones. */
  restore: () => Promise<void>
  stop: () => Promise<void>
}

const PROBE_TIMEOUT_MS = 2_000

/**
 * Starts the sandbox on the ports that the channels already use, or on others if those are taken, and updates the
 * channels. `ownUrl` is where it reaches this process. Of several processes on a machine, the first runs the sandbox.
 */
export const startDemoSandbox = async (
  ctx: Ctx,
  { ownUrl, admin }: { ownUrl: string; admin: { name: string; email: string } },
): Promise<DemoSandbox> => {
  const accounts = await findSandboxAccounts(ctx)
  const keyFor = (purpose: string): string =>
    createHmac('sha256', accounts.whatsapp.fields.appSecret!).update(`sandbox ${purpose}`).digest('base64url')
  const controlKey = keyFor('control')
  const visitorKey = keyFor('visitor')
  const client = { clientId: 'foyer', clientSecret: keyFor('oidc') }

  const { url, smtpUrl, sandbox } = await listen(accounts, {
    ...optionsOf(accounts),
    controlKey,
    people: [admin],
    oidc: {
      ...client,
      redirectUri: `${ctx.publicUrl}${OIDC_CALLBACK_PATH}`,
      otherRedirectUris: [`${ctx.publicUrl}${MAILBOX_OAUTH_PATH}`],
    },
    reach: { from: ctx.publicUrl, to: ownUrl },
    onAdvance: (hours) => backdateThreads(ctx, hours),
  })
  try {
    const channelIds = await pointSandboxAccounts(ctx, accounts, { url, smtpUrl })
    if (sandbox) connect(sandbox, accounts, ctx.publicUrl, channelIds)
    return {
      url,
      smtpUrl,
      pageUrl: `${ctx.publicUrl}/sandbox/?key=${visitorKey}`,
      controlKey,
      visitorKey,
      oidc: { ...client, issuer: `${url}/oidc` },
      channelIds,
      telegramIdOf: (name) =>
        sandbox?.control.people().find((person) => person.name === name)?.telegramId ?? null,
      restore: async () => {
        if (sandbox) await restore(ctx, sandbox, channelIds)
      },
      stop: async () => sandbox?.stop(),
    }
  } catch (error) {
    await sandbox?.stop()
    throw error
  }
}

const optionsOf = ({ whatsapp: { fields } }: SandboxAccounts): SandboxOptions => ({
  accessToken: fields.accessToken!,
  appSecret: fields.appSecret!,
  verifyToken: fields.verifyToken!,
  numbers: [
    {
      id: fields.phoneNumberId!,
      businessAccountId: fields.businessAccountId!,
      displayPhoneNumber: '+1 555-078-3881',
      verifiedName: SHOP,
    },
  ],
  customers: true,
  webhookTime: 'real',
  refusedBy: { '131047': 'answer' },
})

/** Tells the providers Foyer's address and the secrets they sign with. */
const connect = (
  { control }: Sandbox,
  { email, telegram, facebook, sms }: SandboxAccounts,
  publicUrl: string,
  ids: ChannelIds,
): void => {
  const at = (channel: keyof ChannelIds): string => webhookUrl(publicUrl, channel, ids[channel])
  control.set({ webhookUrl: at('whatsapp') })
  control.connect({
    mail: {
      address: SUPPORT_ADDRESS,
      name: SHOP,
      inboundUrl: at('email'),
      inboundSecret: email.fields.inboundSecret!,
    },
    telegram: {
      botToken: telegram.fields.botToken!,
      botName: SHOP,
      webhookUrl: at('telegram'),
      webhookSecret: telegram.fields.webhookSecret!,
      allowedUpdates: ['message', 'edited_message', 'callback_query', 'my_chat_member', 'message_reaction'],
    },
    messenger: {
      pageId: facebook.fields.pageId!,
      pageName: SHOP,
      accessToken: facebook.fields.accessToken!,
      appSecret: facebook.fields.appSecret!,
      verifyToken: facebook.fields.verifyToken!,
      webhookUrl: at('facebook'),
    },
    sms: {
      accountSid: sms.fields.accountSid!,
      authToken: sms.fields.authToken!,
      phoneNumber: sms.fields.phoneNumber!,
      webhookUrl: at('sms'),
    },
  })
}

const restore = async (ctx: Ctx, { control }: Sandbox, ids: ChannelIds): Promise<void> => {
  for (const { name, username, identities, entries } of await listPastThreads(ctx, ids.whatsapp))
    control.restore({
      phone: identities.whatsapp_id ?? null,
      userId: identities.whatsapp_user_id ?? null,
      profileName: name,
      username,
      entries,
    })
  for (const [app, channel, party] of OTHERS)
    for (const thread of await listPastThreads(ctx, ids[channel])) {
      const { name, subject, entries } = thread
      const id = party(thread)
      if (id) control.restoreChat({ app, party: id, name, subject, entries })
    }
}

/** A customer's identity in each of the other apps. */
const OTHERS: [
  app: 'mail' | 'telegram' | 'messenger' | 'sms',
  channel: keyof ChannelIds,
  party: (thread: PastThread) => string | undefined,
][] = [
  ['mail', 'email', ({ identities }) => identities.email],
  ['telegram', 'telegram', ({ identities }) => identities.telegram],
  ['messenger', 'facebook', ({ identities }) => identities.facebook],
  ['sms', 'sms', ({ identities }) => identities.sms ?? identities.phone],
]

type Listening = { url: string; smtpUrl: string; sandbox: Sandbox | null }

/** No sandbox of our own if another process of this demo already runs one. */
const listen = async (
  { whatsapp, email }: SandboxAccounts,
  options: SandboxOptions & { controlKey: string },
): Promise<Listening> => {
  const portOf = (url: string | null): number =>
    url !== null && isLoopbackUrl(url) ? Number(new URL(url).port) : 0
  let [port, smtpPort] = [portOf(whatsapp.url), portOf(email.url)]
  for (;;)
    try {
      const sandbox = await startSandbox({ ...options, port, smtpPort })
      return { url: sandbox.url, smtpUrl: sandbox.smtpUrl!, sandbox }
    } catch (error) {
      const { code, port: taken } = error as NodeJS.ErrnoException & { port?: number }
      if (code !== 'EADDRINUSE' || !taken) throw error
      if (taken === port && email.url && (await answersAsOurs(whatsapp.url!, options.controlKey)))
        return { url: whatsapp.url!, smtpUrl: email.url, sandbox: null }
      if (taken === port) port = 0
      else smtpPort = 0
    }
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
