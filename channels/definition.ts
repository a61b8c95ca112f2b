// A channel's definition, apart from its protocol: plain data for the server, the command line and the console.

import type { ChoiceLimits } from './choices.ts'

/** How a field is validated and converted. */
type FieldType =
  | { type: 'text' | 'phone' | 'email' | 'hostName' | 'url' }
  /** Yes or no. `unset`: what it means if it is omitted, in a list of choices. */
  | { type: 'flag'; unset: string }
  /** A URL to use instead of the provider's own API. */
  | { type: 'apiUrl' }
  | { type: 'mailServer'; protocols: readonly string[] }
  | { type: 'integer'; min: number; max: number }
  /** Any number of websites. */
  | { type: 'origins' }

/** One field of a channel account, for validation, the command line and the console's form. */
export type ChannelField = FieldType & {
  /** Where it is stored. Secrets are write-only. */
  in: 'name' | 'address' | 'settings' | 'secrets'
  label: string
  /** Where to find it, or what it is for. */
  hint: string
  /** Its placeholder in the command line's usage, e.g. NUMBER. */
  value: string
  isOptional?: true
  /** Stored if an optional field is omitted. */
  default?: null | number | readonly string[]
  /** Fields of a group are omitted together; if one is given, the required ones of the group must be too. */
  group?: string
  /** The name of its command line flag, which is repeated for each value. */
  singular?: string
  /** Stored in the settings, but also the account's address. */
  isAddress?: true
  /** Must be unique among the accounts of a workspace. */
  isUnique?: true
  /** The part that identifies an account; by default, all of it. */
  uniquePart?: (value: string) => string
  /** The secrets that are sent to this URL's host. */
  sendsSecrets?: readonly string[]
  /** A secret that we choose and give to the provider. */
  isOwn?: true
  inputMode?: 'tel' | 'email' | 'url' | 'numeric'
  placeholder?: string
  /** Rarely used fields, collapsed under a title; fields of a part are side by side. */
  part?: { title: string; about?: string }
}

/** The setup steps left after an account is added. */
export type ChannelSetup =
  /** The webhook is entered at the provider by hand; `code` is between backticks. */
  | { how: 'webhook'; steps: readonly string[] }
  /** We register the webhook at the provider. */
  | { how: 'registered' }
  /** A script tag on the website. */
  | { how: 'script' }
  /** None: mail is fetched, or forwarded by the mail server. */
  | { how: 'mailbox' }

export type ChannelDefinition = {
  /** A description for choosing a channel. */
  about: string
  /** A description of the command that adds one. */
  command: string
  /** In the order of the form and of the usage. */
  fields: Record<string, ChannelField>
  /** The default name of an account. */
  nameOf: (address: string) => string
  setup: ChannelSetup
  /**
   * The kinds of identity that the provider has for a customer, and how each contains their number: in E.164, as
   * digits, or not at all.
   */
  identityKinds: Record<string, 'e164' | 'digits' | 'none'>
  /** How it shows the options of a message; null: as numbered text. */
  choices: ChoiceLimits | null
  /** The emoji that we can react with to customers' messages; `any` of them, or none on channels without reactions. */
  reactions: 'any' | readonly string[]
  /**
   * Several accounts share one webhook address: the field that identifies the account in a webhook, and the secret
   * that they share.
   */
  sharedWebhook?: { nameField: string; secretField: string }
  /** What is received: visitors' messages, mail, or the items of contract/inbound.ts from a webhook. */
  inbound:
    | { receives: 'visitors' | 'mail' }
    | {
        receives: 'items'
        /** The name for unnamed customers, followed by the end of their id; null: their number is used. */
        unnamed: string | null
        /** Whether the provider retries deliveries that we could not store. */
        redelivers: boolean
      }
}

// The types of an account's settings and secrets, derived from the fields --------------------------------------------

type ValueOf<F> = F extends { type: 'integer' }
  ? number
  : F extends { type: 'flag' }
    ? boolean
    : F extends { type: 'origins' }
      ? string[]
      : F extends { default: null }
        ? string | null
        : string

type MayLack<F> = F extends { default: unknown }
  ? false
  : F extends { isOptional: true } | { group: string }
    ? true
    : false

type Present<F, Place, Lack> = F extends { in: Place } ? (MayLack<F> extends Lack ? true : false) : false

type KeptIn<Fields, Place> = {
  [N in keyof Fields as Present<Fields[N], Place, false> extends true ? N : never]: ValueOf<Fields[N]>
} & {
  [N in keyof Fields as Present<Fields[N], Place, true> extends true ? N : never]?: ValueOf<Fields[N]>
}

export type SettingsOf<D extends ChannelDefinition> = KeptIn<D['fields'], 'settings'>
export type SecretsOf<D extends ChannelDefinition> = KeptIn<D['fields'], 'secrets'>
