// A block as a card: its title, its steps, and what comes after the last.
import { Plus } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import type { Problem } from '../../../../flow-engine/problems.ts'
import type { StepType } from '../../../../flow-engine/schema.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { t } from '../../../words/t.ts'
import type { Problems } from '../use-problems.ts'
import type { BlockModel } from './row-models.ts'
import { Exits, ProblemList, StepRow } from './step-row.tsx'
import { StepTypePicker } from './step-type-picker.tsx'

/** The card's own part of the outline's state; null where another block has it. */
export type CardState = {
  activeRow: string | null
  openRow: string | null
  /** Ids of steps, as litIn makes them. */
  lit: string
  /** Where a step is about to be added. */
  addingAt: number | null
}

export type CardActions = {
  toggle: (row: string, byKey: boolean) => void
  setActive: (row: string) => void
  follow: (target: string) => void
  startAdding: (block: string, at: number) => void
  add: (type: StepType) => void
  cancelAdding: () => void
}

const START = t`Start`
const NO_PROBLEMS: readonly Problem[] = []

export const BlockCard = memo(
  ({
    model,
    activeRow,
    openRow,
    lit,
    addingAt,
    problems,
    channelCount,
    isReadOnly,
    actions,
    form,
  }: CardState & {
    model: BlockModel
    problems: Problems
    channelCount: number
    isReadOnly: boolean
    actions: CardActions
    /** Of the open row, if it is in this card. */
    form: ReactNode
  }) => {
    const { id, title, isStart, steps, next } = model
    const row = t`block ${id}`
    const isOpen = openRow === row
    const isActive = activeRow === row
    const toggleStep = actions.toggle
    const marks = new Set(lit.split(' '))
    return (
      <section className="flow-block" aria-label={title}>
        <h2 className="flow-block__head">
          <button
            type="button"
            className="flow-row flow-row--block"
            data-row={row}
            tabIndex={isActive ? 0 : -1}
            aria-expanded={isOpen}
            onFocus={() => actions.setActive(row)}
            onClick={(event) => actions.toggle(row, event.detail === 0)}
          >
            <bdi className="flow-row__words">{title}</bdi>
            {isStart && title !== START && <Badge tone="accent">{START}</Badge>}
          </button>
        </h2>
        {isOpen && form}
        <ProblemList problems={problems.byBlock.get(id) ?? NO_PROBLEMS} />
        <ol className="flow-block__steps" aria-label={t`Steps of ${title}`}>
          {steps.map((step, at) => {
            const own = t`step ${step.step.id}`
            return [
              <StepRow
                key={step.step.id}
                model={step}
                problems={problems.byStep.get(step.step.id) ?? NO_PROBLEMS}
                isActive={activeRow === own}
                isOpen={openRow === own}
                lit={marks.has(`*${step.step.id}`) ? 'here' : marks.has(step.step.id) ? 'passed' : null}
                channelCount={channelCount}
                onToggle={toggleStep}
                onActive={actions.setActive}
                onFollow={actions.follow}
                form={openRow === own ? form : null}
              />,
              addingAt === at + 1 && (
                <li key="add">
                  <StepTypePicker onPick={actions.add} onCancel={actions.cancelAdding} />
                </li>
              ),
            ]
          })}
        </ol>
        <footer className="flow-block__foot">
          {!isReadOnly && (
            <Button
              size="small"
              variant="ghost"
              icon={Plus}
              aria-label={t`Add step to ${title}`}
              onClick={() => actions.startAdding(id, steps.length)}
            >
              {t`Add step`}
            </Button>
          )}
          {next && <Exits exits={[next]} isActive={isActive} onFollow={actions.follow} />}
        </footer>
      </section>
    )
  },
)
