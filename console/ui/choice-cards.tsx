import { useId } from 'react'
import { classNames } from './class-names.ts'
import type { LucideIcon } from './icons.ts'

export type CardChoice<T extends string> = { value: T; label: string; about: string; icon: LucideIcon }

/** A choice between a few options, each with a description. */
export const ChoiceCards = <T extends string>({
  label,
  choices,
  value,
  onChange,
  autoFocus = false,
}: {
  label: string
  choices: CardChoice<T>[]
  value: T | null
  onChange: (value: T) => void
  /** The chosen one gets focus when the choice appears. */
  autoFocus?: boolean
}) => {
  const name = useId()
  return (
    <fieldset>
      <legend className="hidden-visually">{label}</legend>
      <div className="cards">
        {choices.map(({ value: own, label, about, icon: Icon }) => (
          <label key={own} className={classNames('card-choice', own === value && 'card-choice--chosen')}>
            <input
              type="radio"
              name={name}
              className="card-choice__input"
              checked={own === value}
              // biome-ignore lint/a11y/noAutofocus: only where a dialog opens with the choice
              autoFocus={autoFocus && own === value}
              onChange={() => onChange(own)}
            />
            <Icon size={18} aria-hidden />
            <span className="card-choice__words">
              <span className="text-strong">{label}</span>
              <span className="text-soft text-small">{about}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
