import { Plus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, IconButton } from './button.tsx'

/** Entries of a form that can be added and removed, each a row of fields. */
export const FormRows = ({
  label,
  isLabelHidden = false,
  about,
  addLabel,
  onAdd,
  children,
}: {
  label: string
  /** A heading above says it already. */
  isLabelHidden?: boolean
  about?: ReactNode
  addLabel: string
  /** Undefined once there are as many as allowed. */
  onAdd: (() => void) | undefined
  children: ReactNode
}) => (
  <fieldset className="rows">
    <legend className={isLabelHidden ? 'hidden-visually' : 'section__title text-strong'}>{label}</legend>
    {about && <p className="field__hint">{about}</p>}
    {children}
    <div>
      <Button size="small" icon={Plus} disabled={!onAdd} onClick={() => onAdd?.()}>
        {addLabel}
      </Button>
    </div>
  </fieldset>
)

export const FormRow = ({
  removeLabel,
  problem,
  onRemove,
  children,
}: {
  removeLabel: string
  problem?: string | undefined
  onRemove: () => void
  children: ReactNode
}) => (
  <div className="rows__row">
    <div className="rows__fields">
      {children}
      {problem && (
        <p className="field__problem" role="alert">
          {problem}
        </p>
      )}
    </div>
    <IconButton icon={X} label={removeLabel} onClick={onRemove} />
  </div>
)
