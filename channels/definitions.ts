// The definitions of all channels, in display order. Importing this loads no protocol.
import type { ChannelDefinition, SecretsOf, SettingsOf } from './definition.ts'
import { email } from './email/definition.ts'
import { facebook } from './facebook/definition.ts'
import type { ChannelName } from './names.ts'
import { sms } from './sms/definition.ts'
import { telegram } from './telegram/definition.ts'
import { web } from './web/definition.ts'
import { whatsapp } from './whatsapp/definition.ts'

const ALL = { web, whatsapp, email, telegram, facebook, sms } satisfies Record<ChannelName, ChannelDefinition>
type All = typeof ALL

export const DEFINITIONS: Record<ChannelName, ChannelDefinition> = ALL

// Object.keys gives plain strings; these are the keys above.
export const CHANNELS_OFFERED = Object.keys(ALL) as ChannelName[]

// Interfaces, so that the compiler can look up a field when the channel is a type parameter.
export interface ChannelSettings extends SettingsByChannel {}
export interface ChannelSecrets extends SecretsByChannel {}
type SettingsByChannel = { [C in ChannelName]: SettingsOf<All[C]> }
type SecretsByChannel = { [C in ChannelName]: SecretsOf<All[C]> }

type KindsOf<D> = D extends { identityKinds: infer Kinds } ? keyof Kinds & string : never

/** How customers are identified: by email or phone, as visitors, by providers' ids, and by those of other systems. */
export type IdentityKind = 'email' | 'phone' | 'visitor' | 'external' | KindsOf<All[ChannelName]>

type PhoneKind = { kind: IdentityKind; holds: 'e164' | 'digits' }

/** The kinds of identity that are phone numbers. */
export const PHONE_KINDS: readonly PhoneKind[] = [
  { kind: 'phone', holds: 'e164' },
  ...Object.values(DEFINITIONS).flatMap(({ identityKinds }) =>
    Object.entries(identityKinds).flatMap(([kind, holds]): PhoneKind[] =>
      // IdentityKind is derived from these keys.
      holds === 'none' ? [] : [{ kind: kind as IdentityKind, holds }],
    ),
  ),
]

/** A channel whose webhooks contain the items of contract/inbound.ts. */
export type WebhookChannelName = {
  [C in ChannelName]: All[C] extends { inbound: { receives: 'items' } } ? C : never
}[ChannelName]

type ItemInbound = Extract<ChannelDefinition['inbound'], { receives: 'items' }>

const itemsOf = (channel: ChannelName): [ChannelName, ItemInbound][] => {
  const { inbound } = DEFINITIONS[channel]
  return inbound.receives === 'items' ? [[channel, inbound]] : []
}

/** The inbound definition of each channel that receives items, which the type follows. */
export const WEBHOOKS = Object.fromEntries(CHANNELS_OFFERED.flatMap(itemsOf)) as Record<
  WebhookChannelName,
  ItemInbound
>

export const receivesItems = (channel: ChannelName): channel is WebhookChannelName => channel in WEBHOOKS

/** A channel that identifies customers by a single id, of a kind named like the channel. */
export type SingleIdChannelName = Extract<WebhookChannelName, IdentityKind>

export const hasSingleId = (channel: ChannelName): channel is SingleIdChannelName =>
  channel in DEFINITIONS[channel].identityKinds

/** How many messages a WhatsApp number sends per second. */
export const PACE = whatsapp.fields.messagesPerSecond
