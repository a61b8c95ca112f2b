import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type Column<T> = {
  id: string
  head: ReactNode
  cell: (row: T) => ReactNode
  /** Numbers stand at the end; `hide` drops the column where the table is narrow. */
  align?: 'start' | 'end'
  hide?: 'narrow'
  width?: string
}

/** Rows of one kind. Where there are more than some hundred, page them (see LoadMore and Pages). */
export const DataTable = <T,>({
  label,
  columns,
  rows,
  keyOf,
  onOpen,
  empty,
}: {
  label: string
  columns: Column<T>[]
  rows: readonly T[]
  keyOf: (row: T) => string
  /** Makes the rows open something; the first column must hold a link or button that does the same by keyboard. */
  onOpen?: (row: T) => void
  empty?: ReactNode
}) => {
  if (rows.length === 0 && empty) return empty
  const classOf = ({ align, hide }: Column<T>) =>
    classNames(align === 'end' && 'table__end', hide === 'narrow' && 'table__wide-only')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="table-place" aria-label={label} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id} scope="col" className={classOf(column)} style={{ width: column.width }}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className={classNames(onOpen && 'table__row--opens')}
              onClick={(event) => {
                if (!(event.target as Element).closest('a,button,input,label')) onOpen?.(row)
              }}
            >
              {columns.map((column) => (
                <td key={column.id} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
