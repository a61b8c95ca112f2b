import { useState } from 'react'
import { t } from '../words/t.ts'
import { TextArea, TextField } from './field.tsx'

const sameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((item, at) => item === other[at])

/**
 * A list that is typed: one item a line, or separated by commas. What isn't valid yet stays in the field and is left out
 * of the list, with the reason.
 */
export const ListField = ({
  label,
  name,
  hint,
  placeholder,
  items,
  itemsMax,
  areLines = false,
  read,
  problem,
  onChange,
}: {
  label: string
  name?: string
  hint?: string
  placeholder?: string
  items: readonly string[]
  itemsMax: number
  areLines?: boolean
  /** An item as it is kept; null if it isn't valid. */
  read: (text: string) => string | null
  /** Says what an item has to be. */
  problem: string
  onChange: (items: string[]) => void
}) => {
  const separator = areLines ? '\n' : ','
  const listOf = (text: string) =>
    text
      .split(separator)
      .map((one) => one.trim())
      .filter((one) => one !== '')
  const itemsOf = (text: string): string[] => {
    const valid = listOf(text).flatMap((one) => read(one) ?? [])
    return [...new Set(valid)].slice(0, itemsMax)
  }
  const [text, setText] = useState(() => items.join(areLines ? '\n' : ', '))
  /** Changed elsewhere, such as by undo. */
  const shown = sameList(itemsOf(text), items) ? text : items.join(areLines ? '\n' : ', ')
  const isTooLong = listOf(shown).length > itemsMax
  const isInvalid = listOf(shown).some((one) => read(one) === null)
  const field = {
    label,
    ...(name && { name }),
    ...(hint && { hint }),
    ...(placeholder && { placeholder }),
    ...(isTooLong ? { problem: t`At most ${itemsMax}.` } : isInvalid ? { problem } : {}),
    spellCheck: false,
    dir: 'auto',
    value: shown,
    onChange: ({ target }: { target: { value: string } }) => {
      setText(target.value)
      const next = itemsOf(target.value)
      if (!sameList(next, items)) onChange(next)
    },
  }
  return areLines ? (
    <TextArea {...field} rows={Math.min(6, Math.max(2, items.length + 1))} />
  ) : (
    <TextField {...field} />
  )
}
