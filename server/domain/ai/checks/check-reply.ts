// What is looked at before a reply of the AI agent is said. Each check is a pure function of the reply and of what is
// known in this turn; whatever the model was told or talked into, a reply that fails isn't sent.
import { findAskedSecret } from './asked-secrets.ts'
import { findEcho } from './echo.ts'
import { findUngrounded } from './grounding.ts'
import { findInvented } from './invented.ts'
import { findLanguageProblem } from './language.ts'
import { findLinkProblems } from './links.ts'
import { findPrivate } from './private-words.ts'
import { findPromise } from './promises.ts'
import { findRepeat } from './repeat.ts'
import type { CheckedReply, Known, ReplyProblem } from './reply.ts'
import { findSourceProblems } from './sources.ts'

export type * from './reply.ts'

/** More would only confuse. */
const PROBLEMS_MAX = 8
/** Control characters, invisible ones and turns of the direction: they hide what is said. Joiners are part of writing. */
const ODD =
  /[\p{Cc}\p{Co}\p{Cs}\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/u

/** Empty if it may be said. */
export const checkReply = (reply: CheckedReply, known: Known): ReplyProblem[] => {
  const { text } = reply
  if (text.trim() === '') return [{ code: 'empty', message: 'The reply is empty.' }]
  if (text.length > known.lengthMax)
    return [
      {
        code: 'too_long',
        message: `The reply has ${text.length} characters; this channel takes ${known.lengthMax}. Make it shorter.`,
      },
    ]
  return [
    ...findOdd(text),
    ...findSourceProblems(reply, known),
    ...findUngrounded(reply, known),
    ...findEcho(text, known),
    ...findInvented(text, known),
    ...findLinkProblems(reply, known),
    ...findPrivate(text, known),
    ...findPromise(text, known),
    ...findAskedSecret(text),
    ...findRepeat(text, known),
    ...findLanguageProblem(text, known),
  ].slice(0, PROBLEMS_MAX)
}

const findOdd = (text: string): ReplyProblem[] =>
  ODD.test(text.replace(/[\n\t]/g, ' '))
    ? [
        {
          code: 'odd_characters',
          message: 'The reply contains characters that can’t be seen. Use plain text.',
        },
      ]
    : []
