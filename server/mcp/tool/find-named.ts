// Names are taken wherever an id is.
import { foldText } from '../../../flow-engine/fold-text.ts'
import { Refused } from './refused.ts'

type Named = { id: string; name: string }

const CANDIDATES_MAX = 10

/** By id, else by the whole name, else by a part of it that only one has. Throws Refused, with the candidates. */
export const findNamed = <T extends Named>(
  what: string,
  wanted: string,
  all: readonly T[],
  mayList = true,
): T => {
  const byId = all.find(({ id }) => id === wanted)
  if (byId) return byId
  const folded = foldText(wanted)
  const names = all.map((one) => ({ one, name: foldText(one.name) }))
  const whole = folded === '' ? [] : names.filter(({ name }) => name === folded)
  const found = whole.length > 0 || folded === '' ? whole : names.filter(({ name }) => name.includes(folded))
  if (found.length === 1) return found[0]!.one
  // The others are for whoever may list them.
  const candidates = found.length > 0 ? found.map(({ one }) => one) : mayList ? all : []
  const shown = candidates.slice(0, CANDIDATES_MAX)
  const list = shown.map(({ id, name }) => `${name} (${id})`).join(', ')
  throw new Refused(
    found.length > 1
      ? `More than one ${what} fits. Call again with the id of one of them: ${list}.`
      : `There is no such ${what}. ${list && `There are: ${list}. `}Call again with an id or a whole name.`,
  )
}
