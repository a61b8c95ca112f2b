import { FileUp } from 'lucide-react'
import { useRef, useState } from 'react'
import { countOf } from '../../state/amounts.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { TextArea } from '../../ui/field.tsx'
import { rich, t } from '../../words/t.ts'
import { ROWS_MAX, type Row, type Rows, readRows } from './read-rows.ts'

const FILE_BYTES_MAX = 5_000_000
const SHOWN_MAX = 20
const PROBLEMS_SHOWN_MAX = 10

/** Recipients as a table, pasted, typed or from a CSV file, and how it was parsed. */
export const RowsForm = ({
  text,
  table,
  onChange,
}: {
  text: string
  table: Rows
  onChange: (text: string, table: Rows) => void
}) => {
  const input = useRef<HTMLInputElement>(null)
  const [fileProblem, setFileProblem] = useState<string | null>(null)
  const take = (next: string): void => onChange(next, readRows(next))
  const open = async (file: File | undefined): Promise<void> => {
    if (!file) return
    setFileProblem(
      file.size > FILE_BYTES_MAX ? t`The file is too large. Split it into files of up to 10,000 rows.` : null,
    )
    if (file.size <= FILE_BYTES_MAX) take(await file.text())
  }
  return (
    <div className="stack">
      <TextArea
        label={t`Recipients`}
        hint={t`One per line: phone number with country code, then the template’s values in order, e.g. “+49 151 23456789, Maria, 1182”. A header row is fine.`}
        rows={7}
        className="lines"
        dir="ltr"
        spellCheck={false}
        value={text}
        problem={
          fileProblem ??
          (table.rows.length > ROWS_MAX
            ? t`${countOf(table.rows.length)} rows is over the limit of ${countOf(ROWS_MAX)}.`
            : undefined)
        }
        onChange={({ target }) => take(target.value)}
        onDrop={(event) => {
          const [file] = event.dataTransfer.files
          if (!file) return
          event.preventDefault()
          void open(file)
        }}
      />
      <div className="row row--wrap">
        <input
          ref={input}
          type="file"
          accept=".csv,.tsv,.txt,text/csv,text/plain"
          hidden
          onChange={({ target }) => {
            void open(target.files?.[0])
            target.value = ''
          }}
        />
        <Button icon={FileUp} onClick={() => input.current?.click()}>
          {t`Upload CSV`}
        </Button>
        <span className="text-soft text-small numeric" role="status">
          {table.rows.length > 0 &&
            (table.rows.length === 1 ? t`1 row found` : t`${countOf(table.rows.length)} rows found`)}
        </span>
      </div>
      {table.problems.length > 0 && (
        <Banner
          tone="warn"
          action={
            <Button size="small" onClick={() => take(withoutLines(text, table))}>
              {table.problems.length === 1 ? t`Remove it` : t`Remove them`}
            </Button>
          }
        >
          <ul>
            {table.problems.slice(0, PROBLEMS_SHOWN_MAX).map(({ line, text, message }) => (
              <li key={line}>{rich`Line ${line}: ${<bdi>{text.slice(0, 60)}</bdi>} ${message}.`}</li>
            ))}
            {table.problems.length > PROBLEMS_SHOWN_MAX && (
              <li>{rich`and ${countOf(table.problems.length - PROBLEMS_SHOWN_MAX)} more`}</li>
            )}
          </ul>
        </Banner>
      )}
      {table.rows.length > 0 && <Understood table={table} />}
    </div>
  )
}

const withoutLines = (text: string, { problems }: Rows): string => {
  const wrong = new Set(problems.map(({ line }) => line))
  return text
    .split('\n')
    .filter((_, index) => !wrong.has(index + 1))
    .join('\n')
}

const Understood = ({ table: { rows, headings } }: { table: Rows }) => {
  const valueCount = Math.max(0, ...rows.slice(0, SHOWN_MAX).map(({ parameters }) => parameters?.length ?? 0))
  const columns: Column<Row>[] = [
    { id: 'phone', head: t`Phone`, cell: ({ phone }) => <span className="numeric">{phone}</span> },
    ...(rows.some(({ name }) => name)
      ? [{ id: 'name', head: t`Name`, cell: ({ name }: Row) => name && <bdi>{name}</bdi> }]
      : []),
    ...Array.from({ length: valueCount }, (_, index) => ({
      id: `value ${index}`,
      head: headings?.[index] || t`Value ${index + 1}`,
      cell: ({ parameters }: Row) => parameters?.[index] && <bdi>{parameters[index]}</bdi>,
    })),
  ]
  return (
    <>
      <DataTable
        label={t`Preview of the rows`}
        columns={columns}
        rows={rows.slice(0, SHOWN_MAX)}
        keyOf={({ line }) => String(line)}
      />
      {rows.length > SHOWN_MAX && (
        <p className="text-soft text-small">{rich`Showing the first ${SHOWN_MAX}.`}</p>
      )}
    </>
  )
}
