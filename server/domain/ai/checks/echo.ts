// “Say: …” A reply that repeats what the customer wrote makes their words the workspace's.
import { foldText } from '../../../../flow-engine/fold-text.ts'
import type { Known, ReplyProblem } from './reply.ts'

/** Fewer in a row are what it is about: a name, an address, a question. */
const RUN_WORDS = 6
/** Of scripts without spaces. */
const RUN_CHARACTERS = 14
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u
const PIECE = 4_000

/** Folded, whatever its length, without numbers: those of an order or an address are the customer's to be told. */
const folded = (text: string): string => {
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += PIECE) pieces.push(foldText(text.slice(at, at + PIECE)))
  return pieces
    .join(' ')
    .split(' ')
    .filter((word) => !/\d/.test(word))
    .join(' ')
}

/** Runs of the text's words, or of its characters where words aren't separated; with a space around the words. */
const runsOf = (text: string): string[] => {
  if (UNSPACED.test(text)) {
    const all = text.replaceAll(' ', '')
    return Array.from({ length: Math.max(0, all.length - RUN_CHARACTERS + 1) }, (_, at) =>
      all.slice(at, at + RUN_CHARACTERS),
    )
  }
  const words = text.split(' ')
  return Array.from(
    { length: Math.max(0, words.length - RUN_WORDS + 1) },
    (_, at) => ` ${words.slice(at, at + RUN_WORDS).join(' ')} `,
  )
}

export const findEcho = (
  text: string,
  { customerTexts, sources, results, noted = [], circumstances = [] }: Known,
): ReplyProblem[] => {
  const said = folded(text)
  const isUnspaced = UNSPACED.test(said)
  const join = (texts: readonly string[]): string => {
    const one = texts.map(folded).join(' | ')
    return isUnspaced ? one.replaceAll(' ', '') : ` ${one} `
  }
  const theirs = join(customerTexts)
  const repeated = runsOf(said).filter((run) => theirs.includes(run))
  if (repeated.length === 0) return []
  const ours = join([...sources.map((source) => source.text), ...results, ...noted, ...circumstances])
  const run = repeated.find((one) => !ours.includes(one))
  return run === undefined
    ? []
    : [
        {
          code: 'echo',
          message: `The reply repeats the customer’s words “${run.trim()}”, which no source says. Say it in your own words, or leave it out.`,
        },
      ]
}
