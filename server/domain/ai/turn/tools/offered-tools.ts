import { meetsNeed } from '../../identity/identity.ts'
import type { Task } from '../../think.ts'
import type { TurnInHand } from '../known/turn-in-hand.ts'
import { noteAnswerTool } from './note-answer.ts'
import { proposeActionTool } from './propose-action.ts'
import { readActionTool } from './read-action.ts'
import { readContactTool } from './read-contact.ts'
import { searchTool } from './search-knowledge.ts'
import { sendCodeTool } from './send-code.ts'
import { setFieldTool } from './set-field.ts'
import { startFlowTool } from './start-flow.ts'
import { tagTools } from './tag.ts'
import type { AiTool } from './tool.ts'

/** What this model may do for this customer. What isn't in the list doesn't exist for it: a draft changes nothing. */
export const offeredTools = (
  turn: TurnInHand,
  { isDraft, task }: { isDraft: boolean; task: Task | null },
): AiTool[] => {
  const { guidance, tags, flows, actions, identity } = turn
  const allowed = actions.filter(({ needs }) => meetsNeed(identity, needs))
  const reading = [searchTool, readContactTool, ...allowed.filter(isAtOnce).map(readActionTool)]
  if (isDraft) return reading
  return [
    ...reading,
    ...(task && task.collect.length > 0 ? [noteAnswerTool(task)] : []),
    ...(guidance.writableFields.length > 0 ? [setFieldTool(guidance.writableFields)] : []),
    ...(tags.length > 0 ? tagTools(tags) : []),
    ...(flows.length > 0 ? [startFlowTool(flows)] : []),
    ...allowed.filter((action) => !isAtOnce(action)).map(proposeActionTool),
    ...sendCodeTool(turn),
  ]
}

const isAtOnce = ({ risk, confirm }: TurnInHand['actions'][number]): boolean =>
  risk === 'read' && confirm === 'none'
