// What became of the drafts that the AI agent wrote for the team.
import { countOf, percentOf } from '../../state/amounts.ts'
import type { DraftCounts } from '../../state/types.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Section } from '../../ui/page.tsx'

const PARTS: { part: Exclude<keyof DraftCounts, 'written'>; label: string; hint: string }[] = [
  { part: 'used', label: 'Sent as written', hint: 'With at most a word or two changed.' },
  { part: 'changed', label: 'Changed before sending', hint: 'Part of the draft was kept.' },
  { part: 'dismissed', label: 'Dismissed', hint: 'Closed, requested again or replaced by another text.' },
  { part: 'unused', label: 'Not used', hint: 'Nobody inserted or dismissed it.' },
]

export const AiDrafts = ({ drafts }: { drafts: DraftCounts }) => {
  const { written } = drafts
  if (written === 0) return null
  const columns: Column<(typeof PARTS)[number]>[] = [
    {
      id: 'label',
      head: 'Result',
      cell: ({ label, hint }) => (
        <span className="stack stack--tight">
          <span>{label}</span>
          <span className="field__hint">{hint}</span>
        </span>
      ),
    },
    {
      id: 'count',
      head: 'Drafts',
      align: 'end',
      cell: ({ part }) => (
        <span>
          <span className="numeric">{countOf(drafts[part])}</span>{' '}
          <span className="text-soft">
            of {countOf(written)} {percentOf(drafts[part], written)}
          </span>
        </span>
      ),
    },
  ]
  return (
    <Section
      title="Drafts for your team"
      about={`${written === 1 ? '1 draft' : `${countOf(written)} drafts`} by the day they were written (UTC). Several to choose from count once.`}
    >
      <DataTable label="Drafts" columns={columns} rows={PARTS} keyOf={({ part }) => part} />
    </Section>
  )
}
