// A draft while somebody edits it: every change is kept in this browser at once and saved a little later. A save
// that fails is repeated; one that somebody else's save has overtaken waits for a decision.
import { type History, record, redo, startHistory, undo } from './history.ts'

const SAVE_AFTER_MS = 800
const RETRY_AFTER_MS = 5_000

export type Draft<T> = { definition: T; revision: number }

export type SaveState<T> =
  | { is: 'saved' | 'unsaved' | 'saving' }
  /** Not reachable; the changes are kept in this browser. */
  | { is: 'offline' }
  /** The server can't store this draft, as it is. */
  | { is: 'refused'; message: string }
  /** Somebody else saved in between. */
  | { is: 'conflict'; theirs: Draft<T>; base: T }

export type DraftSnapshot<T> = { history: History<T>; save: SaveState<T>; revision: number }

export type DraftPorts<T> = {
  save: (draft: Draft<T>) => Promise<{ revision: number }>
  /** The draft as the server has it. */
  load: () => Promise<Draft<T>>
  /** What to make of a save's error. */
  readError: (error: unknown) => 'stale' | 'offline' | string
  /** Unsaved changes in this browser, with the revision that they are based on. */
  keep: (draft: Draft<T> | null) => void
  now: () => number
  wait: (work: () => void, ms: number) => () => void
}

export type DraftStore<T> = ReturnType<typeof openDraft<T>>

/** What an earlier visit left unsaved is shown: to be saved, or as a conflict if somebody else saved since. */
const firstSnapshot = <T>(stored: Draft<T>, kept: Draft<T> | null, nowMs: number): DraftSnapshot<T> => {
  const history = startHistory(stored.definition)
  const { revision } = stored
  if (!kept || JSON.stringify(kept.definition) === JSON.stringify(stored.definition))
    return { history, revision, save: { is: 'saved' } }
  return {
    history: record(history, kept.definition, null, nowMs),
    revision,
    save:
      kept.revision === revision
        ? { is: 'unsaved' }
        : { is: 'conflict', theirs: stored, base: stored.definition },
  }
}

/** `kept` are unsaved changes from an earlier visit: they are saved, or become a conflict. */
export const openDraft = <T>(stored: Draft<T>, kept: Draft<T> | null, ports: DraftPorts<T>) => {
  let base = stored.definition
  let snapshot = firstSnapshot(stored, kept, ports.now())
  const listeners = new Set<() => void>()
  let cancelWait = () => {}
  let saving: T | null = null
  let joinsNext = false

  const set = (next: Partial<DraftSnapshot<T>>): void => {
    snapshot = { ...snapshot, ...next }
    for (const listener of listeners) listener()
  }
  const present = (): T => snapshot.history.present

  const saveLater = (ms: number): void => {
    cancelWait()
    cancelWait = ports.wait(() => void save(), ms)
  }
  const changed = (history: History<T> | null): void => {
    if (!history || history === snapshot.history) return
    ports.keep({ definition: history.present, revision: snapshot.revision })
    const isHeld = snapshot.save.is === 'conflict'
    set({ history, ...(!isHeld && { save: { is: 'unsaved' } }) })
    if (!isHeld) saveLater(SAVE_AFTER_MS)
  }

  const save = async (): Promise<void> => {
    cancelWait()
    if (saving || snapshot.save.is === 'conflict' || present() === base) return
    const definition = present()
    saving = definition
    set({ save: { is: 'saving' } })
    try {
      const { revision } = await ports.save({ definition, revision: snapshot.revision })
      saving = null
      base = definition
      const isCurrent = present() === definition
      ports.keep(isCurrent ? null : { definition: present(), revision })
      set({ revision, save: { is: isCurrent ? 'saved' : 'unsaved' } })
      if (!isCurrent) saveLater(SAVE_AFTER_MS)
    } catch (error) {
      saving = null
      await failed(ports.readError(error))
    }
  }
  const failed = async (reason: 'stale' | 'offline' | string): Promise<void> => {
    if (reason === 'stale') return meetTheirs()
    if (reason === 'offline') {
      set({ save: { is: 'offline' } })
      saveLater(RETRY_AFTER_MS)
    } else set({ save: { is: 'refused', message: reason } })
  }
  const meetTheirs = async (): Promise<void> => {
    try {
      set({ save: { is: 'conflict', theirs: await ports.load(), base } })
    } catch {
      await failed('offline')
    }
  }

  if (snapshot.save.is === 'unsaved') saveLater(0)
  else if (kept && snapshot.save.is === 'saved') ports.keep(null)

  const settle = async (whose: 'mine' | 'theirs'): Promise<void> => {
    if (snapshot.save.is !== 'conflict') return
    const { theirs } = snapshot.save
    base = theirs.definition
    const { revision } = theirs
    if (whose === 'mine') {
      set({ revision, save: { is: 'unsaved' } })
      return save()
    }
    ports.keep(null)
    const history = record(snapshot.history, theirs.definition, null, ports.now())
    set({ history, revision, save: { is: 'saved' } })
  }

  return {
    get: (): DraftSnapshot<T> => snapshot,
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /** `topic` is what somebody types in: its changes are undone together. */
    change: (edit: (definition: T) => T, topic: string | null = null): void => {
      const { history } = snapshot
      const after = edit(history.present)
      const joins = joinsNext && after !== history.present
      if (joins) joinsNext = false
      changed(joins ? { ...history, present: after, future: [] } : record(history, after, topic, ports.now()))
    },
    /** The next change is undone together with the latest. */
    joinNext: (): void => {
      joinsNext = true
    },
    undo: (): void => changed(undo(snapshot.history)),
    redo: (): void => changed(redo(snapshot.history)),
    /** Saves now, e.g. before publishing or leaving. */
    flush: save,
    keepMine: (): Promise<void> => settle('mine'),
    takeTheirs: (): Promise<void> => settle('theirs'),
    close: (): void => {
      cancelWait()
      void save()
      cancelWait()
    },
  }
}
