// What the sections of a report have in common: a figure that opens its conversations, and a chart with its table.
import { Download } from 'lucide-react'
import { createContext, type ReactNode, useContext } from 'react'
import { countOf } from '../../state/amounts.ts'
import { useApi } from '../../state/session.tsx'
import type { Report, ReportTable } from '../../state/types.ts'
import { DownloadLink } from '../../ui/button.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Section } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'
import type { EntriesFilter } from './entries.tsx'
import type { ReportFilter } from './period.ts'

export type Show = (filter: Pick<EntriesFilter, 'figure' | 'title'> & Partial<EntriesFilter>) => void
export type SectionProps = { report: Report; filter: ReportFilter }

/** Opens the conversations behind a figure, of the period and channel shown. */
export const ShowContext = createContext<Show>(() => {})
export const useShow = (): Show => useContext(ShowContext)

/** A number that opens what it counts. */
export const Opens = ({
  value,
  text = countOf(value),
  filter,
}: {
  value: number
  text?: string
  filter: Parameters<Show>[0]
}) => {
  const show = useShow()
  return value === 0 ? (
    <span className="text-soft numeric">{text}</span>
  ) : (
    <button
      type="button"
      className="ai-number numeric"
      aria-label={t`${text}, ${filter.title}: show conversations`}
      onClick={() => show(filter)}
    >
      {text}
    </button>
  )
}

export const Csv = ({ table, filter }: { table: ReportTable; filter: ReportFilter }) => {
  const api = useApi()
  const query = new URLSearchParams({ ...filter, table })
  return (
    <DownloadLink
      size="small"
      variant="ghost"
      icon={Download}
      href={`/console/api/workspaces/${api.workspaceId}/reports/table.csv?${query}`}
    >
      {t`CSV`}
    </DownloadLink>
  )
}

export const ChartSection = ({
  title,
  about,
  table,
  filter,
  chart,
  children,
}: {
  title: string
  about?: string
  table: ReportTable
  filter: ReportFilter
  chart: ReactNode
  /** The table with what the chart shows. */
  children: ReactNode
}) => (
  <Section title={title} about={about} actions={<Csv table={table} filter={filter} />}>
    {chart}
    <Disclosure title={t`Show as table`}>{children}</Disclosure>
  </Section>
)
