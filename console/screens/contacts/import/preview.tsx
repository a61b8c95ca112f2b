import type { ImportColumn, ImportedRow } from '../../../state/types.ts'
import { Badge } from '../../../ui/badge.tsx'
import { DataTable } from '../../../ui/data-table.tsx'
import { Select, TextField } from '../../../ui/field.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { t } from '../../../words/t.ts'

export const PREVIEW_ROWS = 5

/** Contacts are found by these. */
export const NEEDED: ReadonlySet<string> = new Set(['email', 'phone', 'externalId'])

const CHOICES: { value: ImportColumn['to']; label: string }[] = [
  { value: 'name', label: t`Name` },
  { value: 'email', label: t`Email` },
  { value: 'phone', label: t`Phone` },
  { value: 'externalId', label: t`Your own ID` },
  { value: 'field', label: t`Custom field` },
  { value: 'none', label: t`Don’t import` },
]

/** What each column of the file becomes. */
export const ColumnChoice = ({
  names,
  examples,
  columns,
  onChange,
}: {
  names: string[]
  examples: string[]
  columns: ImportColumn[]
  onChange: (columns: ImportColumn[]) => void
}) => {
  const set = (at: number, column: ImportColumn) =>
    onChange(columns.map((known, index) => (index === at ? column : known)))
  return (
    <div className="stack">
      {columns.map(({ to, field = '' }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
        <div key={at} className="grid-2">
          <Select
            label={names[at] ?? ''}
            hint={examples[at] ? `e.g. ${examples[at]?.slice(0, 60)}` : undefined}
            options={CHOICES}
            value={to}
            onChange={({ target }) => {
              const to = target.value as ImportColumn['to']
              set(at, to === 'field' ? { to, field: (names[at] ?? '').slice(0, 64) } : { to })
            }}
          />
          {to === 'field' && (
            <TextField
              label={t`Field for ${names[at]}`}
              maxLength={64}
              value={field}
              onChange={({ target }) => set(at, { to, field: target.value })}
            />
          )}
        </div>
      ))}
    </div>
  )
}

type Outcome = Pick<ImportedRow, 'is' | 'problem'>
type Row = { at: number; cells: string[]; outcome: Outcome | undefined }

const OutcomeBadge = ({ outcome }: { outcome: Outcome | undefined }) => {
  if (!outcome) return <Spinner />
  if (outcome.is === 'created') return <Badge tone="ok">{t`New`}</Badge>
  if (outcome.is === 'updated') return <Badge>{t`Already a contact`}</Badge>
  return (
    <>
      <Badge tone="danger">{t`Refused`}</Badge> <span className="text-small">{outcome.problem}</span>
    </>
  )
}

/** The first rows as they will be. */
export const FirstRows = ({
  columns,
  rows,
  outcomes,
}: {
  columns: ImportColumn[]
  rows: string[][]
  outcomes: Outcome[] | undefined
}) => {
  const shown: Row[] = rows.map((cells, at) => ({ at, cells, outcome: outcomes?.[at] }))
  const textIn = (cells: string[], isOf: (column: ImportColumn) => boolean): string =>
    columns.flatMap((column, at) => (isOf(column) && cells[at]?.trim() ? [cells[at].trim()] : [])).join(' ')
  const used = (to: ImportColumn['to']) => columns.some((column) => column.to === to)
  const fields = [...new Set(columns.flatMap(({ to, field }) => (to === 'field' && field ? [field] : [])))]
  return (
    <DataTable
      label={t`The first rows`}
      rows={shown}
      keyOf={({ at }) => String(at)}
      columns={[
        { id: 'outcome', head: t`Result`, cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
        ...CHOICES.filter(({ value }) => value !== 'field' && value !== 'none' && used(value)).map(
          ({ value, label }) => ({
            id: value,
            head: label,
            cell: ({ cells }: Row) => <bdi>{textIn(cells, ({ to }) => to === value)}</bdi>,
          }),
        ),
        ...fields.map((name) => ({
          id: `field ${name}`,
          head: name,
          cell: ({ cells }: Row) => (
            <bdi>{textIn(cells, ({ to, field }) => to === 'field' && field === name)}</bdi>
          ),
        })),
      ]}
    />
  )
}
