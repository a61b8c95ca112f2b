import { type MouseEvent, useEffect, useMemo } from 'react'
import { setSelected, useSelected } from './selection.ts'

/** What is selected of this list, and how a click with Shift selects up to a row. */
export const useSelection = <R extends { id: string }>(
  name: string,
  rows: readonly R[],
  openId: string | undefined,
) => {
  const selectedIds = useSelected()
  const selected = useMemo(() => rows.filter(({ id }) => selectedIds.has(id)), [rows, selectedIds])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list starts with nothing selected
  useEffect(() => () => setSelected([]), [name])
  const onClickCapture = (event: MouseEvent): void => {
    const row = event.shiftKey && (event.target as HTMLElement).closest<HTMLElement>('[data-index]')
    if (!row) return
    event.preventDefault()
    event.stopPropagation()
    const [to, from] = [rows[Number(row.dataset.index)]!.id, selectedIds.size === 0 ? openId : undefined]
    void import('./select-up-to.ts').then(({ selectUpTo }) =>
      selectUpTo(
        rows.map(({ id }) => id),
        to,
        from,
      ),
    )
  }
  return { selectedIds, selected, onClickCapture }
}
