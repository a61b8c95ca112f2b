// A step as a row: what it does, where it leads, how channels show it, and what is wrong with it.
import { CircleAlert, TriangleAlert } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import type { Problem } from '../../../../flow-engine/problems.ts'
import { classNames } from '../../../ui/class-names.ts'
import { t } from '../../../words/t.ts'
import { shownWords } from '../channel-facts.ts'
import { STEP_TYPES } from '../definition/step-types.ts'
import { problemWords } from '../use-problems.ts'
import type { ExitLink, StepModel } from './row-models.ts'

export const StepRow = memo(
  ({
    model: { step, summary, exits, shown },
    problems,
    isActive,
    isOpen,
    lit,
    channelCount,
    onToggle,
    onActive,
    onFollow,
    form,
  }: {
    model: StepModel
    problems: readonly Problem[]
    /** Whether Tab reaches it; arrow keys move between rows. */
    isActive: boolean
    isOpen: boolean
    /** Where the simulator is, or has been with its last move. */
    lit: 'here' | 'passed' | null
    channelCount: number
    onToggle: (row: string, byKey: boolean) => void
    onActive: (row: string) => void
    onFollow: (target: string) => void
    form: ReactNode
  }) => {
    const { icon: Icon, name } = STEP_TYPES[step.type]
    const row = t`step ${step.id}`
    const hasChoices = shown.some(({ words }) => words !== 'text')
    return (
      <li className={classNames('flow-step', isOpen && 'flow-step--open', lit && `flow-step--${lit}`)}>
        <button
          type="button"
          className="flow-row"
          data-row={row}
          tabIndex={isActive ? 0 : -1}
          aria-expanded={isOpen}
          onFocus={() => onActive(row)}
          onClick={(event) => onToggle(row, event.detail === 0)}
        >
          <Icon size={16} aria-hidden className="flow-row__icon" />
          <span className="hidden-visually">{name}: </span>
          <span className={classNames('flow-row__words', step.isOff && 'flow-row__words--off')}>
            <bdi>{summary}</bdi>
          </span>
          {step.isOff && <span className="badge badge--plain">{t`Skipped`}</span>}
        </button>
        {exits.length > 0 && !isOpen && <Exits exits={exits} isActive={isActive} onFollow={onFollow} />}
        {hasChoices && !isOpen && (
          <p className="flow-step__shown">{shown.map((one) => shownWords(one, channelCount)).join(' · ')}</p>
        )}
        <ProblemList problems={problems} />
        {isOpen && form}
      </li>
    )
  },
)

export const Exits = ({
  exits,
  isActive,
  onFollow,
}: {
  exits: readonly ExitLink[]
  isActive: boolean
  onFollow: (target: string) => void
}) => (
  <ul className="flow-exits" aria-label={t`Leads to`}>
    {exits.map(({ label, target, title }, at) => {
      const isEnd = target === 'end' || target === 'people' || target === 'ai'
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: two options can lead to the same block
        <li key={at} className="flow-exits__one">
          {label && <span className="flow-exits__label">{label}</span>}
          {isEnd ? (
            <span>{title}</span>
          ) : (
            <button
              type="button"
              className="flow-exits__link"
              tabIndex={isActive ? 0 : -1}
              onClick={() => onFollow(target)}
            >
              {title}
            </button>
          )}
        </li>
      )
    })}
  </ul>
)

export const ProblemList = ({ problems }: { problems: readonly Problem[] }) =>
  problems.length === 0 ? null : (
    <ul className="flow-problems" aria-label={t`Problems`}>
      {problems.map((problem, at) => {
        const Icon = problem.severity === 'error' ? CircleAlert : TriangleAlert
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same problem can come twice
          <li key={at} className={`flow-problems__one flow-problems__one--${problem.severity}`}>
            <Icon size={14} aria-label={problem.severity === 'error' ? t`Error` : t`Warning`} role="img" />
            <span>{problemWords(problem)}</span>
          </li>
        )
      })}
    </ul>
  )
