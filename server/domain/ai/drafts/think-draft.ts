// What the AI agent proposes to a person who is about to reply. As with replies, nothing is read here but what is given
// and what `search` finds.
import { decideAnswer, SAY_CERTAINTY } from '../../knowledge/decide-answer.ts'
import { isSensitive, reasonForPeople } from '../for-people.ts'
import { asksForPrompt } from '../guards/asks-for-prompt.ts'
import { type Compose, type Search, type Thought, toSource } from '../think.ts'

/**
 * With a model, in its words. Without one, and where that fails, the answer that fits best word for word, or the nearest
 * to choose from. A person has the conversation, so a wish for a person, anger and a
 * repeated question change nothing; about danger and delicate subjects nothing is made up for people either.
 */
export const thinkDraft = async (
  messages: readonly { text: string; hasFiles: boolean }[],
  search: Search,
  compose: Compose | null,
): Promise<Thought> => {
  const question = messages
    .map(({ text }) => text.trim())
    .filter((text) => text !== '')
    .join('\n')
  if (question === '') {
    const hasFiles = messages.some((message) => message.hasFiles)
    return { question, decision: hasFiles ? { is: 'handOver', reason: 'attachment' } : { is: 'silent' } }
  }
  const reason = reasonForPeople({ texts: [question], earlier: [], topics: [] })
  if (reason === 'self_harm' || reason === 'sensitive')
    return { question, decision: { is: 'handOver', reason } }
  const matches = await search(question)
  if (isSensitive(question) && !matches.some(({ certainty }) => certainty >= SAY_CERTAINTY))
    return { question, decision: { is: 'handOver', reason: 'sensitive' } }
  const composed = asksForPrompt(question)
    ? null
    : await compose?.(question, { matches, mayStaySilent: true, hasMissed: true })
  if (composed && 'decision' in composed) return { question, ...composed }
  const { say, offer } = decideAnswer(matches)
  if (say) return { question, decision: { is: 'answer', source: toSource(say) } }
  if (offer.length > 0) return { question, decision: { is: 'offer', sources: offer.map(toSource) } }
  return { question, decision: { is: 'handOver', reason: composed?.without ?? 'no_knowledge' } }
}
