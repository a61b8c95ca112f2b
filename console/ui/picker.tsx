import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import { t } from '../words/t.ts'
import { classNames } from './class-names.ts'

export type PickerItem = {
  id: string
  /** The text that is searched. */
  text: string
  content?: ReactNode
  hint?: ReactNode
  group?: string
}

const SHOWN_MAX = 100

const fold = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** Matches texts that contain every word of the search; texts that start with it come first. */
export const filterItems = <T extends { text: string }>(items: readonly T[], search: string): T[] => {
  const words = fold(search).split(/\s+/).filter(Boolean)
  if (words.length === 0) return items.slice(0, SHOWN_MAX)
  const rank = (text: string): number => (fold(text).startsWith(words[0]!) ? 0 : 1)
  return items
    .filter(({ text }) => words.every((word) => fold(text).includes(word)))
    .sort((a, b) => rank(a.text) - rank(b.text))
    .slice(0, SHOWN_MAX)
}

/**
 * A list with a search field, used with arrow keys and Enter: people, tags, templates, commands. Focus stays in the
 * field, which controls the list as an ARIA combobox. It filters the items itself unless `onSearch` is given.
 */
export const Picker = ({
  items,
  label,
  placeholder = t`Search…`,
  empty = t`No results.`,
  onPick,
  onSearch,
  selectedIds,
  isSingle = false,
  isPalette = false,
  takesFocus = true,
  isWide = false,
}: {
  items: readonly PickerItem[]
  label: string
  placeholder?: string
  empty?: ReactNode
  onPick: (id: string) => void
  onSearch?: (text: string) => void
  /** Allows several selections: ticks are shown, and picking doesn't close it. */
  selectedIds?: ReadonlySet<string>
  /** At most one item is selected. */
  isSingle?: boolean
  isPalette?: boolean
  /** False when it appears next to something in use. */
  takesFocus?: boolean
  isWide?: boolean
}) => {
  const id = useId()
  const [search, setSearch] = useState('')
  const [active, setActive] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const shown = useMemo(
    () => (onSearch ? items.slice(0, SHOWN_MAX) : filterItems(items, search)),
    [items, search, onSearch],
  )
  const index = Math.min(active, Math.max(0, shown.length - 1))

  useEffect(() => {
    if (takesFocus) input.current?.focus()
  }, [takesFocus])
  useEffect(() => {
    list.current?.querySelector(`[data-index="${index}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [index])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const step =
      event.key === 'ArrowDown' || (event.ctrlKey && event.key === 'n')
        ? 1
        : event.key === 'ArrowUp' || (event.ctrlKey && event.key === 'p')
          ? -1
          : 0
    if (step !== 0) {
      event.preventDefault()
      if (shown.length > 0) setActive((index + step + shown.length) % shown.length)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      const item = shown[index]
      if (item) onPick(item.id)
    }
  }

  let group: string | undefined
  return (
    <div className={classNames(!isPalette && 'picker', isWide && 'picker--wide')}>
      <input
        ref={input}
        className={isPalette ? 'palette__search' : 'picker__search'}
        dir="auto"
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={shown[index] ? `${id}-${index}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={search}
        onChange={(event) => {
          setSearch(event.target.value)
          setActive(0)
          onSearch?.(event.target.value)
        }}
        onKeyDown={onKeyDown}
      />
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label={label}
        aria-multiselectable={selectedIds && !isSingle ? true : undefined}
        className={isPalette ? 'palette__list' : 'picker__list'}
        tabIndex={-1}
      >
        {shown.map((item, at) => {
          const heading = item.group !== group ? item.group : undefined
          group = item.group
          return (
            <div key={item.id} role="presentation">
              {heading && (
                <div className="menu__label" role="presentation">
                  {heading}
                </div>
              )}
              {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keyboard */}
              {/* biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant points here, focus stays above */}
              <div
                id={`${id}-${at}`}
                data-index={at}
                data-highlighted={at === index ? '' : undefined}
                role="option"
                aria-selected={selectedIds ? selectedIds.has(item.id) : at === index}
                className="menu__item"
                onPointerMove={() => at !== index && setActive(at)}
                onClick={() => onPick(item.id)}
              >
                {selectedIds && (
                  <span className="picker__tick" aria-hidden>
                    {selectedIds.has(item.id) ? '✓' : ''}
                  </span>
                )}
                {item.content ?? <bdi className="truncate">{item.text}</bdi>}
                {item.hint && <span className="menu__hint">{item.hint}</span>}
              </div>
            </div>
          )
        })}
        {shown.length === 0 && <div className="picker__empty">{empty}</div>}
      </div>
    </div>
  )
}
