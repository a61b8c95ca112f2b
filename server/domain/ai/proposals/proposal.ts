// An action that the AI agent proposes: what whoever confirms it is shown, and what is called then.
import { createHash } from 'node:crypto'
import { noTitle, yesTitle } from '../../../../flow-engine/built-in-texts.ts'
import type { Json } from '../../../../flow-engine/paths.ts'
import type { PROPOSAL_STATES } from '../../../platform/db/tables.ts'
import type { StoredAction } from '../../actions/queries.ts'
import type { ParameterValues } from '../../actions/read-parameters.ts'
import type { Identity } from '../identity/identity.ts'

export type Proposed = {
  actionId: string
  /** The action's name and the values, checked and as they are shown. */
  name: string
  parameters: ParameterValues
  confirm: 'customer' | 'person'
  /** Of the action; see fingerprintOf. */
  fingerprint: string
  /** Of the customer when it was proposed: whoever confirms it is known as well. */
  identity: Identity
  /** In which the customer is asked; null: not known. */
  language: string | null
}

export type ProposalState = (typeof PROPOSAL_STATES)[number]

/** Times are in milliseconds. */
export type Proposal = Proposed & {
  id: string
  turnId: string
  state: ProposalState
  confirmedBy: string | null
  kept: Json
  expiresAt: number
  createdAt: number
  /** The first message after the one that asked; null if there is none yet. */
  nextMessageId: string | null
}

const HOUR_MS = 3_600_000
export const EXPIRES_AFTER_MS = { customer: HOUR_MS, person: 24 * HOUR_MS } as const

/** The numbers of the two buttons. */
export const YES_OPTION = 1
export const NO_OPTION = 2

export const yesAndNo = (language: string) => [
  { id: 'yes', number: YES_OPTION, title: yesTitle(language) },
  { id: 'no', number: NO_OPTION, title: noTitle(language) },
]

/** What of an action is confirmed. Its headers' values aren't: a key may be renewed meanwhile. */
export const fingerprintOf = (action: StoredAction): string => {
  const { name, method, url, headerNames, parameters, isRepeatable, risk, needs, confirm, tool } = action
  const parts = [name, method, url, headerNames, parameters, isRepeatable, risk, needs, confirm]
  return createHash('sha256')
    .update(JSON.stringify(tool ? [...parts, tool.serverId, tool.name, tool.hash, tool.state] : parts))
    .digest('base64url')
}

type Described = Pick<Proposed, 'name' | 'parameters'>

/** "Cancel order: number AB-12345" on one line, for the team. */
export const describeAction = ({ name, parameters }: Described): string => {
  const values = valuesOf(parameters, 'en').map(({ label, value }) => `${label} ${value}`)
  return values.length === 0 ? name : `${name}: ${values.join(', ')}`
}

/** The same for customers: with several values, each has a line, so that none can look like another. */
export const showAction = ({ name, parameters }: Described, language: string): string => {
  const values = valuesOf(parameters, language)
  if (values.length < 2) return [name, ...values.map(({ label, value }) => `${label} ${value}`)].join(': ')
  return [name, ...values.map(({ label, value }) => `- ${label}: ${value}`)].join('\n')
}

export const valuesOf = (parameters: ParameterValues, language: string): { label: string; value: string }[] =>
  Object.entries(parameters).map(([name, value]) => ({
    label: labelOf(name),
    value: textOf(value, language),
  }))

/** `orderNumber` and `order_number` are "order number". */
const labelOf = (name: string): string =>
  name
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .replaceAll('_', ' ')
    .trim()
    .toLowerCase()

const textOf = (value: string | number | boolean, language: string): string => {
  if (typeof value !== 'boolean') return String(value)
  return value ? yesTitle(language) : noTitle(language)
}
