import type { MentionRange } from './mention-schema.ts'

/** A name ends where a word does: “@Jo” isn't in “@John”. */
const WORD = /[\p{L}\p{N}_]/u

/**
 * Where the body mentions these people, in order. Of names that begin alike the longest counts, so “@Jane Doe” is no
 * mention of Jane.
 */
export const findMentions = (
  body: string,
  people: readonly { id: string; nickname: string }[],
): MentionRange[] => {
  const byLength = [...people].sort((a, b) => b.nickname.length - a.nickname.length)
  const found: MentionRange[] = []
  for (let at = body.indexOf('@'); at !== -1; ) {
    const start = at + 1
    const isInWord = at > 0 && WORD.test(body[at - 1]!)
    const person = isInWord
      ? undefined
      : byLength.find(
          ({ nickname }) =>
            body.startsWith(nickname, start) && !WORD.test(body[start + nickname.length] ?? ''),
        )
    const length = person ? person.nickname.length + 1 : 1
    if (person) found.push({ position: at, length, accountId: person.id })
    at = body.indexOf('@', at + length)
  }
  return found
}
