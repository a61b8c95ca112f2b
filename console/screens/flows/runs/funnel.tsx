// How many runs came to each step, and what happened there.

import { listSteps } from '../../../../flow-engine/definition-index.ts'
import { countOf } from '../../../state/amounts.ts'
import type { FunnelStep } from '../../../state/flows.ts'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { t } from '../../../words/t.ts'
import { orderBlocks } from '../definition/order-blocks.ts'
import { stepWords } from '../definition/step-words.ts'
import { useEditor } from '../editor-context.tsx'
import { countStep, type StepCounts } from './step-counts.ts'

type Row = StepCounts & { stepId: string; words: string; isHere: boolean }

const NUMBERS = [
  ['entered', t`Entered`],
  ['answered', t`Answered`],
  ['invalid', t`Not understood`],
  ['dropped', t`No reply`],
  ['waiting', t`Waiting`],
  ['failed', t`Failed`],
] as const

export const Funnel = ({
  steps,
  onShow,
}: {
  steps: readonly FunnelStep[]
  onShow: (row: string) => void
}) => {
  const { definition, names } = useEditor()
  const placed = listSteps(definition)
  const order = orderBlocks(definition).flatMap((block) =>
    placed.filter((one) => one.block === block).map(({ step }) => step.id),
  )
  const rows = steps
    .map((counts): Row => {
      const step = placed.find((one) => one.step.id === counts.stepId)?.step
      return {
        ...countStep(counts),
        stepId: counts.stepId,
        words: step ? stepWords(step, definition, names) : t`${counts.stepId} (no longer in the draft)`,
        isHere: step !== undefined,
      }
    })
    .sort((a, b) => placeIn(order, a.stepId) - placeIn(order, b.stepId))
  const most = Math.max(1, ...rows.map(({ entered }) => entered))
  const columns: Column<Row>[] = [
    {
      id: 'step',
      head: t`Step`,
      width: '46%',
      cell: ({ stepId, words, isHere, entered }) => (
        <span className="flow-funnel">
          {isHere ? (
            <button type="button" className="flow-exits__link" onClick={() => onShow(t`step ${stepId}`)}>
              {words}
            </button>
          ) : (
            <span className="text-soft">{words}</span>
          )}
          <span className="flow-funnel__bar" style={{ width: `${(entered / most) * 100}%` }} aria-hidden />
        </span>
      ),
    },
    ...NUMBERS.map(
      ([id, head]): Column<Row> => ({
        id,
        head,
        align: 'end',
        cell: (row) => countOf(row[id]),
      }),
    ),
  ]
  return (
    <DataTable
      label={t`Steps`}
      columns={columns}
      rows={rows}
      keyOf={({ stepId }) => stepId}
      empty={<EmptyState title={t`No figures yet`}>{t`They are counted once the flow is live.`}</EmptyState>}
    />
  )
}

/** Steps that are gone come last. */
const placeIn = (order: readonly string[], stepId: string): number => {
  const at = order.indexOf(stepId)
  return at < 0 ? order.length : at
}
