// What became of the drafts that the AI agent wrote for the team.
import { countOf, percentOf } from '../../state/amounts.ts'
import type { DraftCounts } from '../../state/types.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Section } from '../../ui/page.tsx'
import { rich, t } from '../../words/t.ts'

const PARTS: { part: Exclude<keyof DraftCounts, 'written'>; label: string; hint: string }[] = [
  { part: 'used', label: t`Sent as written`, hint: t`With at most a word or two changed.` },
  { part: 'changed', label: t`Changed before sending`, hint: t`Part of the draft was kept.` },
  { part: 'dismissed', label: t`Dismissed`, hint: t`Closed, requested again or replaced by another text.` },
  { part: 'unused', label: t`Not used`, hint: t`Nobody inserted or dismissed it.` },
]

export const AiDrafts = ({ drafts }: { drafts: DraftCounts }) => {
  const { written } = drafts
  if (written === 0) return null
  const columns: Column<(typeof PARTS)[number]>[] = [
    {
      id: 'label',
      head: t`Result`,
      cell: ({ label, hint }) => (
        <span className="stack stack--tight">
          <span>{label}</span>
          <span className="field__hint">{hint}</span>
        </span>
      ),
    },
    {
      id: 'count',
      head: t`Drafts`,
      align: 'end',
      cell: ({ part }) => (
        <span>
          <span className="numeric">{countOf(drafts[part])}</span>{' '}
          <span className="text-soft">
            {rich`of ${countOf(written)} ${percentOf(drafts[part], written)}`}
          </span>
        </span>
      ),
    },
  ]
  return (
    <Section
      title={t`Drafts for your team`}
      about={t`${written === 1 ? t`1 draft` : t`${countOf(written)} drafts`} by the day they were written (UTC). Several to choose from count once.`}
    >
      <DataTable label={t`Drafts`} columns={columns} rows={PARTS} keyOf={({ part }) => part} />
    </Section>
  )
}
