import { foldText } from '../../../../flow-engine/fold-text.ts'
import type { Known, ReplyProblem } from './reply.ts'

const REPLIES_MAX = 3

/** Saying the same again doesn't help whoever didn't find it helpful. */
export const findRepeat = (text: string, { lastReplies }: Known): ReplyProblem[] => {
  const said = foldText(text)
  return said !== '' && lastReplies.slice(0, REPLIES_MAX).some((reply) => foldText(reply) === said)
    ? [{ code: 'repeat', message: 'The reply was already sent. Say something else, or hand over.' }]
    : []
}
