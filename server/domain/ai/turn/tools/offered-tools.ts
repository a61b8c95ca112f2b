import type { TurnInHand } from '../known/turn-in-hand.ts'
import { readActionTool } from './read-action.ts'
import { readContactTool } from './read-contact.ts'
import { searchTool } from './search-knowledge.ts'
import { setFieldTool } from './set-field.ts'
import { startFlowTool } from './start-flow.ts'
import { tagTools } from './tag.ts'
import type { AiTool } from './tool.ts'

const LEVELS = { claimed: 0, channel: 1, verified: 2 } as const
const NEEDED = { none: 0, known: 1, verified: 2 } as const

/** What this model may do for this customer. What isn't in the list doesn't exist for it: a draft changes nothing. */
export const offeredTools = (turn: TurnInHand, { isDraft }: { isDraft: boolean }): AiTool[] => {
  const { guidance, tags, flows, actions, identity } = turn
  const mayRead = actions.filter(
    ({ risk, confirm, needs }) => risk === 'read' && confirm === 'none' && LEVELS[identity] >= NEEDED[needs],
  )
  const reading = [searchTool, readContactTool, ...mayRead.map(readActionTool)]
  if (isDraft) return reading
  return [
    ...reading,
    ...(guidance.writableFields.length > 0 ? [setFieldTool(guidance.writableFields)] : []),
    ...(tags.length > 0 ? tagTools(tags) : []),
    ...(flows.length > 0 ? [startFlowTool(flows)] : []),
  ]
}
