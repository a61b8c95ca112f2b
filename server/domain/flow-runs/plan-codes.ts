// A customer enters the code that they were sent. It is compared here, with the conversation locked, and no model is asked
// about it.
import { codeText } from '../ai/identity/texts.ts'
import { codeIn, maskAddress, TRIES_MAX, VERIFIED_MINUTES } from '../identity-codes/code.ts'
import type { ConversationCode } from '../identity-codes/queries.ts'
import { type InboundMessage, type Stage, setState } from './place.ts'
import { handOver, isWithAi, mayReplyHere, schedule, withPerson } from './plan-ai.ts'
import { sayForAi } from './plan-ai-say.ts'
import { memoryOf } from './plan-ai-step.ts'

const MINUTE_MS = 60_000
/** Six digits that come later are about something else. */
const LATE_MAX_MS = 60 * MINUTE_MS

/** True if the message was taken as a code, right or wrong. */
export const takeCode = async (stage: Stage, message: InboundMessage): Promise<boolean> => {
  const { world, place } = stage
  const { code } = place
  if (code?.state !== 'open' || world.now >= code.expiresAt + LATE_MAX_MS) return false
  const given = codeIn(message.text)
  if (given === null || !isWithAi(stage) || !mayReplyHere(stage)) return false
  if (!code.isStanding || world.now >= code.expiresAt) {
    changeCode(stage, code, { state: 'ended' })
    say(stage, codeText('expired', code.language))
  } else if (world.isRightCode(code.id, given)) {
    verify(stage, code)
    // What they had asked for comes now.
    setState(place, { ai: withPerson(memoryOf(stage)) })
    schedule(stage, message.at, true)
  } else await takeWrong(stage, code)
  return true
}

const verify = (stage: Stage, code: ConversationCode): void => {
  const verifiedUntil = stage.world.now + VERIFIED_MINUTES * MINUTE_MS
  changeCode(stage, code, { state: 'entered', verifiedUntil })
  stage.place.acts.push({
    is: 'line',
    run: null,
    says: `AI agent: the customer entered the code sent to ${maskAddress(code)} and is verified for ${VERIFIED_MINUTES} minutes`,
    steps: 0,
  })
}

const takeWrong = async (stage: Stage, code: ConversationCode): Promise<void> => {
  const wrongCount = code.wrongCount + 1
  const isLast = wrongCount >= TRIES_MAX
  changeCode(stage, code, { wrongCount, ...(isLast && { state: 'ended' as const }) })
  if (isLast) await handOver(stage, 'identity', { language: code.language })
  else say(stage, codeText('wrong', code.language))
}

/** What the customer wrote before it may still be thought about. */
const say = (stage: Stage, text: string): void => {
  stage.place.owesReply = stage.place.turn !== null
  sayForAi(stage, text, { turnId: null, sources: [] })
}

const changeCode = (
  { place }: Stage,
  code: ConversationCode,
  change: Partial<Pick<ConversationCode, 'state' | 'wrongCount' | 'verifiedUntil'>>,
): void => {
  place.code = { ...code, ...change }
  place.isCodeChanged = true
}
