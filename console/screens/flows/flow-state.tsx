// The state of a flow, as a word and as what can change it.
import type { FlowDetails, FlowState } from '../../state/flows.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { t } from '../../words/t.ts'

export type StateChange = 'pause' | 'resume' | 'archive' | 'restore'
const STATES: Record<FlowState, { text: string; tone: Tone }> = {
  draft: { text: t`Draft`, tone: 'plain' },
  live: { text: t`Live`, tone: 'ok' },
  paused: { text: t`Paused`, tone: 'warn' },
  archived: { text: t`Archived`, tone: 'plain' },
}

export const StateBadge = ({
  flow: { state, hasChanges, version },
}: {
  flow: Pick<FlowDetails, 'state' | 'hasChanges' | 'version'>
}) => (
  <span className="row">
    <Badge tone={STATES[state].tone}>{STATES[state].text}</Badge>
    {version !== null && hasChanges && state !== 'archived' && (
      <Badge tone="accent">{t`Unpublished changes`}</Badge>
    )}
  </span>
)
