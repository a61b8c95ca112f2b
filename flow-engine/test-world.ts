// The world that tests of flows run in, where nothing real is at hand: one customer who writes for the first time.
import type { BusinessHours } from './business-hours.ts'
import type { Env, ExistingFacts, FlowChannel } from './contract.ts'
import { HOUR_MS } from './duration.ts'
import type { ChannelFacts } from './lint-contract.ts'
import { referencesOf } from './references.ts'
import { type Failure, runScenario } from './run-scenario.ts'
import type { Scenario } from './scenario.ts'
import type { FlowDefinition } from './schema.ts'

export type WorldFacts = {
  /** Milliseconds. */
  now: number
  workspace: Env['workspace']
  hours: readonly BusinessHours[]
  /** Null: everything that the definition refers to. */
  existing: ExistingFacts | null
  /** The limits of each channel; those that are missing have none. */
  channels: readonly Pick<ChannelFacts, 'name' | 'bodyMax' | 'replyWindowHours'>[]
}

export const BODY_MAX_DEFAULT = 4_000

export const makeTestWorld = (definition: FlowDefinition, facts: WorldFacts, channel: FlowChannel): Env => {
  const limits = facts.channels.find(({ name }) => name === channel)
  const windowMs = (limits?.replyWindowHours ?? 0) * HOUR_MS
  return {
    now: facts.now,
    random: 0.5,
    contact: {
      id: 'contact',
      name: 'Sam Rivera',
      email: null,
      phone: null,
      language: null,
      country: null,
      fields: {},
      tags: [],
    },
    conversation: {
      id: 'conversation',
      channel,
      subject: null,
      isFirst: true,
      openedAt: facts.now,
      agent: null,
    },
    workspace: facts.workspace,
    sending: {
      bodyMax: limits?.bodyMax ?? BODY_MAX_DEFAULT,
      windowClosesAt: windowMs > 0 ? facts.now + windowMs : null,
      refusal: null,
    },
    hours: [...facts.hours],
    existing: facts.existing ?? everythingIn(definition),
    escapePhrases: [],
  }
}

/** As if all of it were there. */
const everythingIn = (definition: FlowDefinition): ExistingFacts => {
  const references = referencesOf(definition)
  const ids = (wanted: string) => [
    ...new Set(references.filter(({ kind }) => kind === wanted).map(({ id }) => id)),
  ]
  return {
    tags: ids('tag').map((id) => ({ id, name: id })),
    agents: ids('agent').map((id) => ({ id, isOnline: true })),
    teamIds: ids('team'),
    actionIds: ids('action'),
    templates: references.flatMap(({ kind, id, language }) =>
      kind === 'template' ? [{ name: id, language: language! }] : [],
    ),
    flowIds: ids('flow'),
    attachmentIds: ids('attachment'),
  }
}

/** The channel that a test takes place on: its own, or the first of the flow's. */
const channelOf = ({ triggers }: FlowDefinition, { channel }: Scenario): FlowChannel =>
  channel ?? triggers.find(({ channels }) => channels?.[0])?.channels?.[0] ?? 'web'

/** Runs one test of a flow in a world of its own. Empty: it passes. */
export const runTest = (definition: FlowDefinition, scenario: Scenario, facts: WorldFacts): Failure[] => {
  const channel = channelOf(definition, scenario)
  const hours = facts.channels.find(({ name }) => name === channel)?.replyWindowHours ?? null
  const world = makeTestWorld(definition, facts, channel)
  return runScenario(definition, scenario, world, hours === null ? null : hours * HOUR_MS).failures
}
