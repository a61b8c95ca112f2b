// The draft of a broadcast, kept in this tab with the key of its send: reloading neither loses it nor sends it twice.
import { useCallback, useState } from 'react'
import { useSession } from '../../state/session.tsx'
import { type Draft, EMPTY_DRAFT } from './draft.ts'

type Kept = { draft: Draft; sendKey: string }

const newKept = (draft: Draft): Kept => ({ draft, sendKey: crypto.randomUUID() })

const read = (name: string): Kept | null => {
  try {
    const kept = JSON.parse(sessionStorage.getItem(name) ?? 'null') as Kept | null
    return kept && { ...kept, draft: { ...EMPTY_DRAFT, ...kept.draft } }
  } catch {
    return null
  }
}

const write = (name: string, kept: Kept): void => {
  try {
    sessionStorage.setItem(name, JSON.stringify(kept))
  } catch {
    // A pasted list may be larger than the browser keeps. An older draft must not come back in its place.
    sessionStorage.removeItem(name)
  }
}

/** Goes on where this tab left off, unless it begins afresh, then with `given`. */
export const useKeptDraft = (given: Partial<Draft>, isFresh: boolean) => {
  const { session, workspace } = useSession()
  const name = `foyer.broadcast.${workspace.id}.${session.account.id}`
  const [kept, setKept] = useState<Kept>(
    () => (isFresh ? null : read(name)) ?? newKept({ ...EMPTY_DRAFT, ...given }),
  )
  const change = useCallback(
    (next: Partial<Draft>): void =>
      setKept((known) => {
        const changed = newKept({ ...known.draft, ...next })
        write(name, changed)
        return changed
      }),
    [name],
  )
  /** The key is used up: what is sent next is another broadcast. */
  const forget = useCallback((): void => sessionStorage.removeItem(name), [name])
  const startOver = (): void => {
    forget()
    setKept(newKept(EMPTY_DRAFT))
  }
  return { ...kept, change, forget, startOver }
}
