// The state of a flow, as a word and as what can change it.
import type { FlowDetails, FlowState } from '../../state/flows.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'

export type StateChange = 'pause' | 'resume' | 'archive' | 'restore'
const STATES: Record<FlowState, { text: string; tone: Tone }> = {
  draft: { text: 'Draft', tone: 'plain' },
  live: { text: 'Live', tone: 'ok' },
  paused: { text: 'Paused', tone: 'warn' },
  archived: { text: 'Archived', tone: 'plain' },
}

export const StateBadge = ({
  flow: { state, hasChanges, version },
}: {
  flow: Pick<FlowDetails, 'state' | 'hasChanges' | 'version'>
}) => (
  <span className="row">
    <Badge tone={STATES[state].tone}>{STATES[state].text}</Badge>
    {version !== null && hasChanges && state !== 'archived' && (
      <Badge tone="accent">Unpublished changes</Badge>
    )}
  </span>
)
