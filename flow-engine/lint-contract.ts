// What lint.ts is told of the workspace. All of it is data, so the console can lint while somebody types.
import type { FlowChannel } from './contract.ts'
import type { FlowDefinition } from './schema.ts'

/** How a channel shows options, as its definition says; lengths are in UTF-16 units. null: as numbered text. */
export type ChannelChoices = {
  /** Without hasDescriptions, descriptions are added to the text. */
  buttons: { max: number; titleMax: number; textMax: number; hasDescriptions?: true }
  /** For more options, longer titles or descriptions. Beyond rowsMax, the last row leads to the next options. */
  list?: { rowsMax: number; titleMax: number; descriptionMax: number; labelMax: number; textMax: number }
  /** Two options of the same title are refused. */
  hasUniqueTitles?: true
}

export type ChannelFacts = {
  name: FlowChannel
  bodyMax: number
  /** Hours after the customer's last message in which plain messages are accepted; null: always. */
  replyWindowHours: number | null
  choices: ChannelChoices | null
  /** Billed by segments of 160 or 70 characters. */
  isSms: boolean
}

/** Another flow of the workspace, live or not. */
export type OtherFlow = {
  id: string
  name: string
  isLive: boolean
  /** Dialogs are tried in this order, the lowest first. */
  position: number
  definition: FlowDefinition
}

export type LintFacts = {
  flow: { id: string | null; position: number }
  /** The ids of what exists. Templates by name and language. */
  tagIds: readonly string[]
  agentIds: readonly string[]
  teamIds: readonly string[]
  actionIds: readonly string[]
  hoursIds: readonly string[]
  hasDefaultHours: boolean
  attachmentIds: readonly string[]
  accountIds: readonly string[]
  templates: readonly { name: string; language: string }[]
  channels: readonly ChannelFacts[]
  others: readonly OtherFlow[]
  /** Languages that customers are written to in; texts lacking one are named. */
  languages: readonly string[]
}

/** Segments of a text message that an author is not warned about. */
export const SMS_SEGMENTS_MAX = 3
