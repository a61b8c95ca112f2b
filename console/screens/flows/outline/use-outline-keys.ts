// The keys of the outline, in the registry that the help and the palette read.
import { Copy, ListPlus, Plus, Redo2, Trash2, Undo2 } from 'lucide-react'
import { type RefObject, useEffect } from 'react'
import { type Command, useCommands } from '../../../state/commands.ts'
import { t } from '../../../words/t.ts'
import type { Place } from '../definition/change-definition.ts'
import type { Editor } from '../editor-context.tsx'
import { copyRow, deleteRow, duplicateRow, moveRow, type Outcome, pasteAt, placeAfter } from './use-rows.ts'

const group = t`Flow`

type Context = {
  editor: Editor
  place: RefObject<HTMLDivElement | null>
  finish: (outcome: Outcome) => void
  startAdding: (place: Place) => void
  startBlock: () => void
  undo: () => void
  redo: () => void
}

const rowsIn = (place: HTMLElement | null): HTMLElement[] => [
  ...(place?.querySelectorAll<HTMLElement>('[data-row]') ?? []),
]

/** The row that has focus; undefined if something else has. */
const focusedRow = (): string | undefined => (document.activeElement as HTMLElement | null)?.dataset?.row

export const useOutlineKeys = (context: Context): void => {
  const { editor, place, finish, startAdding, startBlock, undo, redo } = context
  const step = (by: -1 | 1): void => {
    const rows = rowsIn(place.current)
    const at = rows.indexOf(document.activeElement as HTMLElement)
    const active = rows.findIndex(({ tabIndex }) => tabIndex === 0)
    const next = at < 0 ? rows[Math.max(0, active)] : rows[at + by]
    next?.focus()
    next?.scrollIntoView({ block: 'nearest' })
  }
  const onRow = (work: (row: string) => void) => (): void => {
    const row = focusedRow()
    if (row !== undefined) work(row)
  }
  const listed = (id: string, label: string, keys: string | string[]): Command => ({
    id,
    label,
    group,
    keys,
    run: () => {},
    isNative: true,
    inPalette: false,
  })
  const silent = { group, inPalette: false }
  useCommands([
    { ...silent, id: 'row down', label: t`Next row`, keys: ['arrowdown', 'j'], run: () => step(1) },
    { ...silent, id: 'row up', label: t`Previous row`, keys: ['arrowup', 'k'], run: () => step(-1) },
    listed('row open', t`Edit the row`, 'enter'),
    listed('row close', t`Close the form`, ['escape', 'mod+enter']),
    ...(editor.isReadOnly ? [] : editing()),
    listed('row copy', t`Copy as JSON`, 'mod+c'),
  ])
  function editing(): Command[] {
    return [
      {
        id: 'step add',
        label: t`Add step below`,
        group,
        keys: 'a',
        icon: Plus,
        run: () => startAdding(placeAfter(editor, focusedRow() ?? activeRowIn(place.current))),
      },
      { id: 'block add', label: t`Add block`, group, keys: 'b', icon: ListPlus, run: startBlock },
      {
        ...silent,
        id: 'step up',
        label: t`Move step up`,
        keys: 'alt+arrowup',
        run: onRow((row) => finish(moveRow(editor, row, -1))),
      },
      {
        ...silent,
        id: 'step down',
        label: t`Move step down`,
        keys: 'alt+arrowdown',
        run: onRow((row) => finish(moveRow(editor, row, 1))),
      },
      {
        id: 'row duplicate',
        label: t`Duplicate step or block`,
        group,
        keys: 'mod+d',
        icon: Copy,
        run: onRow((row) => finish(duplicateRow(editor, row))),
      },
      {
        id: 'row delete',
        label: t`Delete step or block`,
        group,
        keys: ['delete', 'backspace'],
        icon: Trash2,
        run: onRow((row) => finish(deleteRow(editor, row))),
      },
      { id: 'undo', label: t`Undo`, group, keys: 'mod+z', icon: Undo2, run: undo },
      { id: 'redo', label: t`Redo`, group, keys: ['mod+shift+z', 'mod+y'], icon: Redo2, run: redo },
      listed('row cut', t`Cut`, 'mod+x'),
      listed('row paste', t`Paste below`, 'mod+v'),
    ]
  }
  useClipboard(context)
}

const activeRowIn = (place: HTMLElement | null): string =>
  rowsIn(place).find(({ tabIndex }) => tabIndex === 0)?.dataset.row ?? 'flow'

/** Copies, cuts and pastes the row that has focus. In a field, the clipboard is the field's. */
const useClipboard = ({ editor, finish }: Context): void => {
  useEffect(() => {
    const copy = (event: ClipboardEvent): string | undefined => {
      const row = focusedRow()
      const text = row === undefined || !getSelection()?.isCollapsed ? null : copyRow(editor, row)
      if (row === undefined || text === null) return undefined
      event.clipboardData?.setData('text/plain', text)
      event.preventDefault()
      return row
    }
    const onCopy = (event: ClipboardEvent): void => {
      const row = copy(event)
      if (row !== undefined) finish({ says: t`Copied`, focus: row })
    }
    const onCut = (event: ClipboardEvent): void => {
      const row = editor.isReadOnly ? undefined : copy(event)
      if (row !== undefined) finish(deleteRow(editor, row))
    }
    const onPaste = (event: ClipboardEvent): void => {
      const row = focusedRow()
      if (row === undefined || editor.isReadOnly) return
      const outcome = pasteAt(editor, row, event.clipboardData?.getData('text/plain') ?? '')
      finish(outcome ?? { says: t`The clipboard has no steps`, focus: row })
    }
    const listeners = { copy: onCopy, cut: onCut, paste: onPaste }
    for (const [name, listener] of Object.entries(listeners))
      document.addEventListener(name as 'copy', listener)
    return () => {
      for (const [name, listener] of Object.entries(listeners))
        document.removeEventListener(name as 'copy', listener)
    }
  })
}
