// A list of entries inside a form: each with its own fields, to be added, moved and removed.
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { t } from '../../../words/t.ts'
import { useEditor } from '../editor-context.tsx'

export const Rows = <T,>({
  label,
  hint,
  items,
  keyOf,
  nameOf,
  addLabel,
  max,
  min = 0,
  make,
  onChange,
  children,
}: {
  label: string
  hint?: string
  items: readonly T[]
  keyOf: (item: T, at: number) => string
  /** For screen readers: "Remove option 2". */
  nameOf: (item: T, at: number) => string
  addLabel: string
  max: number
  min?: number
  make: () => T
  onChange: (items: T[]) => void
  /** `next` goes to the entry below, and adds one after the last. */
  children: (item: T, change: (item: T) => void, controls: { next: () => void; at: number }) => ReactNode
}) => {
  const { isReadOnly } = useEditor()
  const list = useRef<HTMLUListElement>(null)
  const focusRow = (at: number): void => {
    requestAnimationFrame(() =>
      list.current?.children[at]?.querySelector<HTMLElement>('input,textarea,select')?.focus(),
    )
  }
  const add = (): void => {
    if (items.length >= max) return
    onChange([...items, make()])
    focusRow(items.length)
  }
  const swap = (at: number, to: number): void => {
    const item = items[at]!
    onChange(items.toSpliced(at, 1).toSpliced(to, 0, item))
  }
  return (
    <fieldset className="field form-rows" disabled={isReadOnly}>
      <legend className="field__label">{label}</legend>
      {hint && <p className="field__hint">{hint}</p>}
      <ul ref={list} className="form-rows__list">
        {items.map((item, at) => (
          <li key={keyOf(item, at)} className="form-rows__row">
            <div className="form-rows__fields">
              {children(item, (changed) => onChange(items.with(at, changed)), {
                at,
                next: () => (at < items.length - 1 ? focusRow(at + 1) : add()),
              })}
            </div>
            <div className="form-rows__tools">
              {items.length > 1 && (
                <>
                  <IconButton
                    icon={ArrowUp}
                    size="small"
                    hasTooltip={false}
                    label={t`Move ${nameOf(item, at)} up`}
                    disabled={at === 0}
                    onClick={() => swap(at, at - 1)}
                  />
                  <IconButton
                    icon={ArrowDown}
                    size="small"
                    hasTooltip={false}
                    label={t`Move ${nameOf(item, at)} down`}
                    disabled={at === items.length - 1}
                    onClick={() => swap(at, at + 1)}
                  />
                </>
              )}
              {items.length > min && (
                <IconButton
                  icon={X}
                  size="small"
                  hasTooltip={false}
                  label={t`Remove ${nameOf(item, at)}`}
                  onClick={() => {
                    onChange(items.toSpliced(at, 1))
                    focusRow(Math.max(0, at - 1))
                  }}
                />
              )}
            </div>
          </li>
        ))}
      </ul>
      {items.length < max && !isReadOnly && (
        <span>
          <Button size="small" icon={Plus} onClick={add}>
            {addLabel}
          </Button>
        </span>
      )}
    </fieldset>
  )
}
