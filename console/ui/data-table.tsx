import type { ReactNode } from 'react'
import { rich, t } from '../words/t.ts'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'

export type Column<T> = {
  id: string
  head: ReactNode
  /** Null if there is nothing to show: cards then omit the line. */
  cell: (row: T) => ReactNode
  /** Numbers are aligned to the end; `hide` drops the column when the table is narrow. */
  align?: 'start' | 'end'
  hide?: 'narrow'
  width?: string
  /** Omits the column's name in cards, for self-explanatory columns. The first column is the card's heading. */
  isNameless?: boolean
}

export type Selection<T> = {
  selectedIds: ReadonlySet<string>
  onChange: (selectedIds: Set<string>) => void
  nameOf: (row: T) => string
}

/**
 * A table that becomes cards when narrow. For more than a few hundred rows, page it (see LoadMore and Pages). The roles
 * are explicit because a table laid out as cards loses its implicit ones.
 */
export const DataTable = <T,>({
  label,
  columns,
  rows,
  keyOf,
  onOpen,
  selection,
  isBusy = false,
  empty,
}: {
  label: string
  columns: Column<T>[]
  rows: readonly T[]
  keyOf: (row: T) => string
  /** Makes rows clickable; the first column must have a link or button that does the same by keyboard. */
  onOpen?: (row: T) => void
  selection?: Selection<T>
  /** The data shown is about to be replaced. */
  isBusy?: boolean
  empty?: ReactNode
}) => {
  if (rows.length === 0 && empty) return empty
  const classOf = ({ align, hide }: Column<T>) =>
    classNames(align === 'end' && 'table__end', hide === 'narrow' && 'table__wide-only')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="table-place" aria-label={label} aria-busy={isBusy || undefined} tabIndex={0}>
      {/* biome-ignore-start lint/a11y/noRedundantRoles: see above */}
      <table className="table" role="table">
        <thead role="rowgroup">
          <tr role="row">
            {selection && <SelectAll rows={rows} keyOf={keyOf} selection={selection} />}
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                role="columnheader"
                className={classOf(column)}
                style={{ width: column.width }}
              >
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => {
            const isSelected = selection?.selectedIds.has(keyOf(row))
            return (
              <tr
                key={keyOf(row)}
                role="row"
                className={classNames(
                  onOpen && 'table__row--opens',
                  selection && 'table__row--selectable',
                  isSelected && 'table__row--selected',
                )}
                onClick={(event) => {
                  if (!(event.target as Element).closest('a,button,input,label')) onOpen?.(row)
                }}
              >
                {selection && (
                  <td role="cell" className="table__tick">
                    <label>
                      <input
                        type="checkbox"
                        className="tick__checkbox"
                        aria-label={t`Select ${selection.nameOf(row)}`}
                        checked={isSelected}
                        onChange={() => {
                          const next = new Set(selection.selectedIds)
                          if (!next.delete(keyOf(row))) next.add(keyOf(row))
                          selection.onChange(next)
                        }}
                      />
                    </label>
                  </td>
                )}
                {columns.map((column, index) => (
                  <td
                    key={column.id}
                    role="cell"
                    className={classOf(column)}
                    data-head={
                      index > 0 && !column.isNameless && typeof column.head === 'string'
                        ? column.head
                        : undefined
                    }
                  >
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
      {/* biome-ignore-end lint/a11y/noRedundantRoles: - */}
    </section>
  )
}

/** How many rows are selected, and what can be done with them. */
export const SelectionBar = ({
  count,
  onClear,
  children,
}: {
  count: number
  onClear: () => void
  children: ReactNode
}) =>
  count === 0 ? null : (
    <div className="selection-bar">
      <span className="grow" role="status">
        {rich`${count} selected`}
      </span>
      {children}
      <Button variant="ghost" onClick={onClear}>
        {t`Clear`}
      </Button>
    </div>
  )

/** Selects all rows of this page, or none. */
const SelectAll = <T,>({
  rows,
  keyOf,
  selection: { selectedIds, onChange },
}: {
  rows: readonly T[]
  keyOf: (row: T) => string
  selection: Selection<T>
}) => {
  const ids = rows.map(keyOf)
  const count = ids.filter((id) => selectedIds.has(id)).length
  const areAll = count > 0 && count === ids.length
  return (
    // biome-ignore lint/a11y/noRedundantRoles: see DataTable
    <th scope="col" role="columnheader" className="table__tick">
      <label>
        <input
          type="checkbox"
          className="tick__checkbox"
          aria-label={t`Select all on this page`}
          ref={(element) => {
            if (element) element.indeterminate = count > 0 && !areAll
          }}
          checked={areAll}
          onChange={() => {
            const next = new Set(selectedIds)
            for (const id of ids) {
              if (areAll) next.delete(id)
              else next.add(id)
            }
            onChange(next)
          }}
        />
      </label>
    </th>
  )
}
