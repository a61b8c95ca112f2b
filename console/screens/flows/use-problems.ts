// Checks the draft while it is edited, a little later and off the critical path.
import { useEffect, useMemo, useState } from 'react'
import type { LintFacts, OtherFlow } from '../../../flow-engine/lint-contract.ts'
import type { Problem } from '../../../flow-engine/problems.ts'
import { referencesOf } from '../../../flow-engine/references.ts'
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import type { FlowSummary } from '../../state/flows.ts'
import { loadSaid, said } from '../../state/said.ts'
import { t } from '../../words/t.ts'
import { CHANNEL_FACTS } from './channel-facts.ts'
import type { FlowResources } from './use-resources.ts'

const CHECK_AFTER_MS = 350

export type Problems = {
  all: Problem[]
  byStep: ReadonlyMap<string, Problem[]>
  byBlock: ReadonlyMap<string, Problem[]>
  ofFlow: Problem[]
  /** False until the first check. */
  isChecked: boolean
}

const NONE: Problems = { all: [], byStep: new Map(), byBlock: new Map(), ofFlow: [], isChecked: false }

/** A flow's own triggers are only compared with other definitions by the server, when it is published. */
const EMPTY: FlowDefinition = {
  schema: 1,
  kind: 'background',
  language: 'en',
  triggers: [],
  start: 'start',
  blocks: { start: { steps: [{ id: 's1', type: 'close' }], next: 'end' } },
}

const factsOf = (
  definition: FlowDefinition,
  { id, position }: Pick<FlowSummary, 'id' | 'position'>,
  resources: FlowResources,
): LintFacts => {
  const references = referencesOf(definition)
  // Whether these still exist is only known to the server.
  const given = (kind: 'attachment' | 'account') =>
    references.filter((one) => one.kind === kind).map((one) => one.id)
  const ids = (list: readonly { id: string }[]) => list.map((one) => one.id)
  return {
    flow: { id, position },
    tagIds: ids(resources.tags),
    agentIds: ids(resources.agents),
    teamIds: ids(resources.teams),
    actionIds: ids(resources.actions),
    hoursIds: ids(resources.hours),
    hasDefaultHours: resources.hours.some(({ isDefault }) => isDefault),
    attachmentIds: given('attachment'),
    accountIds: given('account'),
    templates: resources.templates,
    channels: CHANNEL_FACTS,
    others: resources.flows
      .filter((flow) => flow.id !== id)
      .map(
        (flow): OtherFlow => ({
          id: flow.id,
          name: flow.name,
          isLive: flow.state === 'live',
          position: flow.position,
          definition: EMPTY,
        }),
      ),
    languages: [],
  }
}

const group = (all: Problem[]): Problems => {
  const at = (key: 'stepId' | 'block', list: Problem[]) => {
    const map = new Map<string, Problem[]>()
    for (const problem of list) {
      const id = problem[key]
      if (id !== null) map.set(id, [...(map.get(id) ?? []), problem])
    }
    return map
  }
  const withoutStep = all.filter(({ stepId }) => stepId === null)
  return {
    all,
    byStep: at('stepId', all),
    byBlock: at('block', withoutStep),
    ofFlow: withoutStep.filter(({ block }) => block === null),
    isChecked: true,
  }
}

export const useProblems = (
  definition: FlowDefinition,
  flow: Pick<FlowSummary, 'id' | 'position'>,
  resources: FlowResources,
): Problems => {
  const [all, setAll] = useState<Problem[] | null>(null)
  const { id, position } = flow
  useEffect(() => {
    let isStale = false
    const timer = setTimeout(async () => {
      // Offline, it comes with a later change.
      const checks = await import('./check-draft.ts').catch(() => null)
      await loadSaid()
      if (isStale || !checks) return
      setAll(
        checks.checkDraft(
          definition,
          resources.isComplete ? factsOf(definition, { id, position }, resources) : null,
        ),
      )
    }, CHECK_AFTER_MS)
    return () => {
      isStale = true
      clearTimeout(timer)
    }
  }, [definition, id, position, resources])
  return useMemo(() => (all === null ? NONE : group(all)), [all])
}

/** A problem shown at its step needs no "Step s3:" in front. */
export const problemWords = ({ code, message }: Problem): string => {
  if (code === 'no_end')
    return t`Nothing comes after this step. Add a step, or choose what’s next in its block.`
  const text = said(message.replace(/^Step \S+?(?: \(\w+\))?: ?/, ''))
  return text.charAt(0).toUpperCase() + text.slice(1)
}
