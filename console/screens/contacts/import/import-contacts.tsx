// Imports contacts from a CSV file: what its columns are, what would happen to the first rows, and what happened.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { countOf } from '../../../state/amounts.ts'
import { keys } from '../../../state/query-keys.ts'
import { useApi } from '../../../state/session.tsx'
import type { ImportColumn } from '../../../state/types.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Checkbox } from '../../../ui/field.tsx'
import { Figures, Progress } from '../../../ui/progress.tsx'
import { t } from '../../../words/t.ts'
import { guessColumns, hasNames } from './columns.ts'
import { ColumnChoice, FirstRows, NEEDED, PREVIEW_ROWS } from './preview.tsx'
import { type Progress as Sent, sendRows } from './send-rows.ts'

const FILE_BYTES_MAX = 25 * 1024 * 1024
const ROWS_MAX = 100_000

type Table = { name: string; rows: string[][]; hasHead: boolean; columns: ImportColumn[] }

const readFile = async (file: File): Promise<Table> => {
  if (file.size > FILE_BYTES_MAX) throw new Error(t`The file is larger than 25 MB. Split it into several.`)
  const { readTable } = await import('./read-table.ts')
  const rows = readTable(new Uint8Array(await file.arrayBuffer()))
  if (rows.length === 0) throw new Error(t`The file has no rows.`)
  if (rows.length > ROWS_MAX)
    throw new Error(t`The file has more than ${countOf(ROWS_MAX)} rows. Split it into several.`)
  const hasHead = hasNames(rows)
  return { name: file.name, rows, hasHead, columns: guessColumns(namesOf(rows, hasHead)) }
}

const namesOf = (rows: string[][], hasHead: boolean): string[] => {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  return Array.from({ length: width }, (_, at) => (hasHead && rows[0]?.[at]?.trim()) || t`Column ${at + 1}`)
}

const ImportContacts = ({ onClose }: { onClose: () => void }) => {
  const api = useApi()
  const client = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const stopping = useRef(new AbortController())
  const [table, setTable] = useState<Table | null>(null)
  const [sent, setSent] = useState<Sent | null>(null)
  useEffect(() => {
    stopping.current = new AbortController()
    return () => stopping.current.abort()
  }, [])
  const read = useMutation({ mutationFn: readFile, onSuccess: setTable })
  const rows = table ? table.rows.slice(table.hasHead ? 1 : 0) : []
  const run = useMutation({
    mutationFn: ({ columns }: Table) =>
      sendRows(api, { columns, rows, signal: stopping.current.signal, onProgress: setSent }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.contacts(api.workspaceId) }),
  })
  const hasKey = table?.columns.some(({ to }) => NEEDED.has(to)) ?? false
  const isOver = run.isSuccess
  return (
    <Dialog
      title={t`Import contacts`}
      about={
        table
          ? undefined
          : t`From a CSV file, as a spreadsheet or another system exports it. Contacts that you already have are updated.`
      }
      isOpen
      isWide
      isHeld={run.isPending}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{isOver ? t`Close` : t`Cancel`}</Button>
          {table && !isOver && (
            <Button
              variant="primary"
              disabled={!hasKey || rows.length === 0}
              isBusy={run.isPending}
              onClick={() => run.mutate(table)}
            >
              {run.isError
                ? t`Try again`
                : rows.length === 1
                  ? t`Import 1 row`
                  : t`Import ${countOf(rows.length)} rows`}
            </Button>
          )}
        </>
      }
    >
      {(read.error ?? run.error) && <Banner tone="danger">{(read.error ?? run.error)?.message}</Banner>}
      {!table ? (
        <div>
          <input
            ref={input}
            type="file"
            hidden
            aria-label={t`Choose a file`}
            accept=".csv,.tsv,.txt,text/csv"
            onChange={({ target }) => {
              const [file] = target.files ?? []
              if (file) read.mutate(file)
              target.value = ''
            }}
          />
          <Button variant="primary" isBusy={read.isPending} onClick={() => input.current?.click()}>
            {t`Choose a file`}
          </Button>
        </div>
      ) : sent || run.isPending ? (
        <Result sent={sent} total={rows.length} isOver={isOver} table={table} />
      ) : (
        <Preparation table={table} rows={rows} hasKey={hasKey} onChange={setTable} />
      )}
    </Dialog>
  )
}
export default ImportContacts

const Preparation = ({
  table,
  rows,
  hasKey,
  onChange,
}: {
  table: Table
  rows: string[][]
  hasKey: boolean
  onChange: (table: Table) => void
}) => {
  const api = useApi()
  const { columns, hasHead } = table
  const names = namesOf(table.rows, hasHead)
  const first = rows.slice(0, PREVIEW_ROWS)
  const preview = useQuery({
    queryKey: [...keys.contacts(api.workspaceId), 'import', columns, first],
    queryFn: () =>
      api.post<{ rows: { is: 'created' | 'updated' | 'refused'; problem: string | null }[] }>(
        '/contacts/import-rows',
        { columns, rows: first, isPreview: true },
      ),
    enabled: hasKey,
    gcTime: 0,
  })
  return (
    <div className="stack">
      <p>
        <bdi className="text-strong">{table.name}</bdi>
      </p>
      <Checkbox
        label={t`The first row has the names of the columns`}
        checked={hasHead}
        onChange={({ target }) =>
          onChange({
            ...table,
            hasHead: target.checked,
            columns: guessColumns(namesOf(table.rows, target.checked)),
          })
        }
      />
      <ColumnChoice
        names={names}
        examples={first[0] ?? []}
        columns={columns}
        onChange={(columns) => onChange({ ...table, columns })}
      />
      {hasKey ? (
        <FirstRows columns={columns} rows={first} outcomes={preview.data?.rows} />
      ) : (
        <Banner tone="warn">
          {t`Choose which column has the email, the phone number or the ID: contacts are found by these.`}
        </Banner>
      )}
      <p className="text-soft text-small">
        {t`Only import people who agreed to hear from you. Empty cells change nothing.`}
      </p>
    </div>
  )
}

const Result = ({
  sent,
  total,
  isOver,
  table,
}: {
  sent: Sent | null
  total: number
  isOver: boolean
  table: Table
}) => {
  const { done, created, updated, refused } = sent ?? { done: 0, created: 0, updated: 0, refused: [] }
  const words = t`${countOf(done)} of ${countOf(total)} rows`
  return (
    <div className="stack">
      <Progress
        label={t`Import`}
        total={total}
        text={words}
        parts={[
          { tone: 'ok', value: done - refused.length, label: t`Imported` },
          { tone: 'danger', value: refused.length, label: t`Refused` },
        ]}
      />
      <p role="status">{isOver ? t`Import completed` : t`${words}. Keep this page open.`}</p>
      <Figures
        figures={[
          { label: t`Created`, value: countOf(created) },
          { label: t`Updated`, value: countOf(updated) },
          {
            label: t`Refused`,
            value: countOf(refused.length),
            ...(refused.length > 0 && { tone: 'danger' as const }),
          },
        ]}
      />
      {isOver && refused.length > 0 && (
        <div>
          <Button icon={Download} onClick={() => download(table, refused)}>
            {t`Download refused rows`}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Column names can be formulas too. */
const headCell = (name: string): string => `"${name.replace(/^[\s=+\-@]/, "'$&").replaceAll('"', '""')}"`

/** With the byte order mark that Excel needs, each row as the server wrote it, after its reason. */
const download = (table: Table, lines: readonly string[]): void => {
  const head = [t`Reason`, ...namesOf(table.rows, table.hasHead)].map(headCell).join(',')
  const text = `\ufeff${[head, ...lines].join('\r\n')}\r\n`
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  link.download = `refused-${table.name.replace(/\.\w+$/, '')}.csv`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
