import { Check } from 'lucide-react'
import { t } from '../words/t.ts'
import { classNames } from './class-names.ts'

/** The progress through a task of several steps. Completed steps can be reopened. */
export const Stepper = ({
  label,
  steps,
  current,
  reachable,
  onStep,
}: {
  label: string
  steps: string[]
  /** Counted from 1. */
  current: number
  /** The last step that can be opened. */
  reachable: number
  onStep: (step: number) => void
}) => (
  <nav aria-label={label}>
    <ol className="stepper">
      {steps.map((name, index) => {
        const step = index + 1
        return (
          <li key={name} className="stepper__place">
            <button
              type="button"
              className={classNames('stepper__step', step < current && 'stepper__step--done')}
              aria-current={step === current ? 'step' : undefined}
              disabled={step > reachable}
              onClick={() => onStep(step)}
            >
              <span className="stepper__number">
                {step < current ? <Check size={13} aria-hidden /> : step}
              </span>
              <span className="stepper__name">{name}</span>
              {step < current && <span className="hidden-visually">{t`(done)`}</span>}
            </button>
          </li>
        )
      })}
    </ol>
  </nav>
)
