// A new code for the customer of a place.
import { CODE_VALID_MINUTES } from '../identity-codes/code.ts'
import type { Stage } from './place.ts'

const MINUTE_MS = 60_000

/** False if there is no address any more that it could be sent to, or a limit is reached. */
export const addCode = async ({ world, place }: Stage, language: string): Promise<boolean> => {
  const { id: conversationId, contactId } = place.conversation
  const found = await world.findCodeAddress(conversationId)
  if (!found) return false
  const id = world.newId()
  const expiresAt = world.now + CODE_VALID_MINUTES * MINUTE_MS
  place.code = {
    ...found,
    id,
    language,
    state: 'open',
    wrongCount: 0,
    expiresAt,
    verifiedUntil: null,
    isStanding: true,
  }
  // It is stored by its act.
  place.isCodeChanged = false
  place.acts.push({
    is: 'code',
    code: { ...found, id, conversationId, contactId, language, expiresAt: new Date(expiresAt) },
  })
  return true
}
