import type { CheckedReply, Known, ReplyProblem } from './reply.ts'

const SHOWN_MAX = 60

/** A reply that claims something cites what it was shown, and nothing else. What a tool returned needs no name. */
export const findSourceProblems = (
  { cited, isFactual }: CheckedReply,
  { sources, results }: Known,
): ReplyProblem[] => {
  const ids = new Set(sources.map(({ id }) => id))
  const unknown = cited.find((id) => !ids.has(id))
  if (unknown !== undefined)
    return [
      {
        code: 'source_unknown',
        message: `The reply cites “${unknown.slice(0, SHOWN_MAX)}”, which isn’t one of the sources. Cite only sources that you were shown.`,
      },
    ]
  if (!isFactual || cited.length > 0 || results.length > 0) return []
  return [
    {
      code: 'source_missing',
      message:
        'The reply cites no source. Cite the sources that it is based on. If there are none, ask or hand over.',
    },
  ]
}
