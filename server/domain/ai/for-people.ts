// What people take over whatever the AI agent could say: decided from the customer's words, before anything is searched
// and before a model reads them.
import { foldText } from '../../../flow-engine/fold-text.ts'
import { isAngry } from './guards/angry.ts'
import { isRepeated } from './guards/repeated.ts'
import { type SensitiveTopic, sensitiveTopic } from './guards/topics.ts'
import type { HandOverReason } from './hand-over-reason.ts'

/** About these it may say what an article or answer says, and nothing else. */
const ANSWERABLE: ReadonlySet<SensitiveTopic> = new Set(['medical', 'legal'])

type Asked = {
  /** What the customer wrote since the last reply. */
  texts: readonly string[]
  /** What they wrote before, in the same episode. */
  earlier: readonly string[]
  /** Subjects that the workspace leaves to people, in its own words. */
  topics: readonly string[]
}

/** Null: nothing of that. */
export const reasonForPeople = ({ texts, earlier, topics }: Asked): HandOverReason | null => {
  const text = texts.join('\n')
  const topic = sensitiveTopic(text)
  if (topic === 'self_harm') return 'self_harm'
  if ((topic && !ANSWERABLE.has(topic)) || namesTopic(text, topics)) return 'sensitive'
  if (isAngry(text)) return 'angry'
  return texts.some((one) => isRepeated(one, earlier)) ? 'repeated' : null
}

export const isSensitive = (text: string): boolean => sensitiveTopic(text) !== null

const namesTopic = (text: string, topics: readonly string[]): boolean => {
  if (topics.length === 0) return false
  const folded = ` ${foldText(text)} `
  return topics.map(foldText).some((topic) => topic !== '' && folded.includes(` ${topic} `))
}
