// The first card: when the flow starts, and for whom.
import { Play } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Problem } from '../../../../flow-engine/problems.ts'
import { rich, t } from '../../../words/t.ts'
import { conditionWords, triggerWords } from '../definition/words.ts'
import { useEditor } from '../editor-context.tsx'
import { ProblemList } from './step-row.tsx'

export const FlowRow = ({
  problems,
  isActive,
  isOpen,
  onToggle,
  onActive,
  form,
}: {
  problems: readonly Problem[]
  isActive: boolean
  isOpen: boolean
  onToggle: (row: string, byKey: boolean) => void
  onActive: (row: string) => void
  form: ReactNode
}) => {
  const { definition, names } = useEditor()
  const { triggers, audience, kind } = definition
  return (
    <section className="flow-block flow-block--start" aria-label={t`When it starts`}>
      <button
        type="button"
        className="flow-row"
        data-row="flow"
        tabIndex={isActive ? 0 : -1}
        aria-expanded={isOpen}
        onFocus={() => onActive('flow')}
        onClick={(event) => onToggle('flow', event.detail === 0)}
      >
        <Play size={16} aria-hidden className="flow-row__icon" />
        <span className="flow-row__words">
          <span className="text-soft text-small">
            {kind === 'background' ? t`Runs unseen when` : t`Starts when`}
          </span>
          <br />
          {triggers.length === 0
            ? t`another flow, the API or a teammate starts it`
            : triggers.map((trigger) => triggerWords(trigger, names)).join(' · ')}
          {audience && (
            <span className="text-soft"> {rich`Only if ${conditionWords(audience, names)}.`}</span>
          )}
        </span>
      </button>
      <ProblemList problems={problems} />
      {isOpen && form}
    </section>
  )
}
