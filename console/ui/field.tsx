// Form controls. Each takes `label` and `problem`; FormField wires label, hint and problem to the control by id.
import type { InputHTMLAttributes, ReactNode, Ref, SelectHTMLAttributes, TextareaHTMLAttributes } from 'react'
import { createContext, useContext, useId } from 'react'
import { t } from '../words/t.ts'
import { classNames } from './class-names.ts'

type ErrorDetail = { field: string; message: string }
const Details = createContext<readonly ErrorDetail[]>([])

/**
 * Passes a validation error's `details` to the fields inside, by `name`; `customFields` also takes `customFields.plan`.
 * Details that match no field are shown by the form (see FormProblem).
 */
export const FieldProblems = ({
  details,
  children,
}: {
  details: readonly ErrorDetail[] | undefined
  children: ReactNode
}) => <Details value={details ?? []}>{children}</Details>

const problemOf = (details: readonly ErrorDetail[], name: string | undefined): string | undefined => {
  if (!name) return undefined
  const found = details.find(
    ({ field }) => field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`),
  )
  if (!found) return undefined
  return found.message[0]!.toUpperCase() + found.message.slice(1) + (/[.!?]$/.test(found.message) ? '' : '.')
}

/** For a control that isn't (always) a FormField. */
export const useFieldProblem = (name: string): string | undefined => problemOf(useContext(Details), name)

type FieldWords = {
  label: ReactNode
  /** Hides the label visually; screen readers still announce it. */
  isLabelHidden?: boolean
  hint?: ReactNode
  problem?: string
}

type Wiring = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }

/** A control of any kind with its label, hint and problem. */
export const FormField = ({
  label,
  isLabelHidden = false,
  hint,
  problem,
  name,
  children,
}: FieldWords & { name?: string; children: (wiring: Wiring) => ReactNode }) => {
  const id = useId()
  const details = useContext(Details)
  const shownProblem = problem ?? problemOf(details, name)
  return (
    <div className="field">
      <label htmlFor={id} className={isLabelHidden ? 'hidden-visually' : 'field__label'}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby':
          classNames(hint ? `${id}-hint` : null, shownProblem ? `${id}-problem` : null) || undefined,
        'aria-invalid': shownProblem ? true : undefined,
      })}
      {hint && (
        <p id={`${id}-hint`} className="field__hint">
          {hint}
        </p>
      )}
      {shownProblem && (
        <p id={`${id}-problem`} className="field__problem" role="alert">
          {shownProblem}
        </p>
      )}
    </div>
  )
}

const wordsOf = <T extends FieldWords & { name?: string }>({
  label,
  isLabelHidden,
  hint,
  problem,
  ...rest
}: T) => [{ label, isLabelHidden, hint, problem, name: rest.name }, rest] as const

export const TextField = (
  props: FieldWords & InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> },
) => {
  const [words, { className, ...rest }] = wordsOf(props)
  return (
    <FormField {...words}>
      {(wiring) => (
        <input dir="auto" type="text" {...rest} {...wiring} className={classNames('input', className)} />
      )}
    </FormField>
  )
}

export const TextArea = (
  props: FieldWords & TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> },
) => {
  const [words, { className, ...rest }] = wordsOf(props)
  return (
    <FormField {...words}>
      {(wiring) => (
        <textarea
          dir="auto"
          rows={4}
          {...rest}
          {...wiring}
          className={classNames('input', 'input--area', className)}
        />
      )}
    </FormField>
  )
}

export type Option = { value: string; label: string; isDisabled?: boolean }

/** The native select, which works best on phones and with screen readers. */
export const Select = (
  props: FieldWords & Omit<SelectHTMLAttributes<HTMLSelectElement>, 'children'> & { options: Option[] },
) => {
  const [words, { options, className, ...rest }] = wordsOf(props)
  return (
    <FormField {...words}>
      {(wiring) => (
        <select {...rest} {...wiring} className={classNames('input', 'input--select', className)}>
          {options.map(({ value, label, isDisabled }) => (
            <option key={value} value={value} disabled={isDisabled}>
              {label}
            </option>
          ))}
        </select>
      )}
    </FormField>
  )
}

type Ticked = Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> & { label: ReactNode; hint?: ReactNode }

const Tick = ({ label, hint, kind, ...rest }: Ticked & { kind: 'checkbox' | 'switch' }) => (
  <label className={classNames('tick', rest.disabled && 'tick--disabled')}>
    <input
      {...rest}
      type="checkbox"
      role={kind === 'switch' ? 'switch' : undefined}
      className={`tick__${kind}`}
    />
    <span className="tick__words">
      <span>{label}</span>
      {hint && <span className="field__hint">{hint}</span>}
    </span>
  </label>
)

export const Checkbox = (props: Ticked) => <Tick {...props} kind="checkbox" />

/** For settings that apply at once; use a Checkbox for those saved with a form. */
export const Switch = (props: Ticked) => <Tick {...props} kind="switch" />

/** Shows the errors that belong to no field. */
export const FormProblem = ({ error, fields = [] }: { error: unknown; fields?: string[] }) => {
  if (!error) return null
  const { message, details } = error as { message?: string; details?: ErrorDetail[] }
  const others = (details ?? []).filter(
    ({ field }) =>
      !fields.some((name) => field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`)),
  )
  if (details && details.length > 0 && others.length === 0) return null
  return (
    <p className="banner banner--danger" role="alert">
      {others.length > 0
        ? others.map(({ field, message }) => `${field} ${message}`).join('; ')
        : (message ?? t`Something went wrong. Try again.`)}
    </p>
  )
}
