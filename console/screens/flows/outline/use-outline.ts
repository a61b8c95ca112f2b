// What the outline remembers: which row has focus, which one is open, and where a step is being added.
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { findStep } from '../../../../flow-engine/definition-index.ts'
import type { StepType } from '../../../../flow-engine/schema.ts'
import { t } from '../../../words/t.ts'
import type { Place } from '../definition/change-definition.ts'
import { END_WORDS } from '../definition/words.ts'
import type { Editor } from '../editor-context.tsx'
import type { CardActions } from './block-card.tsx'
import { useOutlineKeys } from './use-outline-keys.ts'
import { addNewBlock, addStepAt, type Outcome, readRow } from './use-rows.ts'

/** The row that another part of the page asks for, e.g. the map. A new object is a new wish. */
export type WantedRow = { row: string }

export const useOutline = (
  editor: Editor,
  place: RefObject<HTMLDivElement | null>,
  wanted: WantedRow | null,
  /** False while only the first rows are drawn. */
  isWhole: boolean,
) => {
  const [untouched] = useState(() => untouchedQuestion(editor))
  const [activeRow, setActive] = useState(untouched ?? 'flow')
  const [openRow, setOpen] = useState<string | null>(untouched)
  const [adding, setAdding] = useState<Place | null>(null)
  const [said, say] = useState('')
  const focus = useFocus(place, isWhole, untouched)

  const finish = (outcome: Outcome): void => {
    if (!outcome) return
    say(outcome.says)
    focus(outcome.focus)
  }
  const toggle = (row: string, byKey: boolean): void => {
    const opens = openRow !== row
    setOpen(opens ? row : null)
    setAdding(null)
    if (opens && byKey) focus(row, 'form')
  }
  const close = (): void => {
    if (openRow === null) return
    setOpen(null)
    focus(openRow)
  }
  const show = (row: string): void => {
    setActive(row)
    focus(row)
  }
  const add = (type: StepType): void => {
    if (!adding) return
    const outcome = addStepAt(editor, adding, type)
    setAdding(null)
    if (!outcome) return
    say(outcome.says)
    setOpen(outcome.focus)
    setActive(outcome.focus)
    focus(outcome.focus, 'form')
  }
  const cancelAdding = (): void => {
    setAdding(null)
    focus(activeRow)
  }
  const latest: CardActions = {
    toggle,
    setActive,
    follow: (target) => !Object.hasOwn(END_WORDS, target) && show(t`block ${target}`),
    startAdding: (block, at) => setAdding({ block, at }),
    add,
    cancelAdding,
  }
  const actions = useSteady(latest)
  const startBlock = (): void => {
    const { id } = addNewBlock(editor, t`New block`)
    setOpen(t`block ${id}`)
    focus(t`block ${id}`, 'form')
  }
  // Rows that change places lose focus.
  const step = (work: () => void) => (): void => {
    work()
    focus(activeRow)
  }
  const undo = step(editor.undo)
  const redo = step(editor.redo)
  useOutlineKeys({ editor, place, finish, startAdding: setAdding, startBlock, undo, redo })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new wish moves the focus
  useEffect(() => {
    if (wanted) show(wanted.row)
  }, [wanted])

  const isThere = exists(editor.definition, activeRow)
  return { activeRow: isThere ? activeRow : 'flow', openRow, adding, said, actions, close, startBlock }
}

/** The question of a flow that was just created, which is then open at once. */
const untouchedQuestion = ({ definition, isReadOnly }: Editor): string | null => {
  const [block, ...others] = Object.values(definition.blocks)
  const step = block?.steps[0]
  const isUntouched =
    others.length === 0 && block?.steps.length === 1 && step?.type === 'ask' && step.text === ''
  return isUntouched && !isReadOnly ? t`step ${step.id}` : null
}

/** The same functions for every render, so that cards that don't change aren't drawn again. */
const useSteady = (latest: CardActions): CardActions => {
  const current = useRef(latest)
  current.current = latest
  return useMemo(
    () => ({
      toggle: (row, byKey) => current.current.toggle(row, byKey),
      setActive: (row) => current.current.setActive(row),
      follow: (target) => current.current.follow(target),
      startAdding: (block, at) => current.current.startAdding(block, at),
      add: (type) => current.current.add(type),
      cancelAdding: () => current.current.cancelAdding(),
    }),
    [],
  )
}

/** A row can go away by undoing, or because somebody else deleted it. */
const exists = (definition: Editor['definition'], row: string): boolean => {
  const name = readRow(row)
  if (name.kind === 'flow') return true
  return name.kind === 'block'
    ? Object.hasOwn(definition.blocks, name.id)
    : findStep(definition, name.id) !== undefined
}

type Wish = { row: string; into: 'row' | 'form' }

/** Moves focus to a row, or into its form, once it has been drawn. */
const useFocus = (
  place: RefObject<HTMLDivElement | null>,
  isWhole: boolean,
  /** A row into whose form it moves first. */
  first: string | null,
) => {
  const [wish, setWish] = useState<Wish | null>(first === null ? null : { row: first, into: 'form' })
  const done = useRef<Wish | null>(null)
  // After every render, because a row far down is drawn later than the first ones.
  useEffect(() => {
    if (!wish || done.current === wish) return
    const find = (name: string) =>
      place.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(name)}"]`)
    const row = find(wish.row) ?? (isWhole ? find('flow') : null)
    if (!row) return
    done.current = wish
    const form = row.closest('li,section')?.querySelector('.form-place')
    const field = form?.querySelector<HTMLElement>('input,textarea,select') ?? form?.querySelector('button')
    const target = wish.into === 'form' ? (field ?? row) : row
    target.focus()
    row.scrollIntoView({ block: 'nearest' })
  })
  return useCallback((row: string, into: Wish['into'] = 'row') => setWish({ row, into }), [])
}
