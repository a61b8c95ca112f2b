import { Search, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useCommands } from '../state/commands.ts'
import { t } from '../words/t.ts'
import { IconButton } from './button.tsx'

const WAIT_MS = 250
const SEARCH_MAX = 160

/** A search field that reports changes after a pause in typing. `value` is the current search, e.g. from the URL. */
export const SearchField = ({
  label,
  placeholder = t`Search…`,
  value,
  waitMs = WAIT_MS,
  onSearch,
  onLeave,
  group,
}: {
  label: string
  placeholder?: string
  value: string
  /** How long a pause in typing is. */
  waitMs?: number
  onSearch: (text: string) => void
  /** Moves focus to the results of what was typed, by Enter or the arrow key. */
  onLeave?: (text: string) => void
  /** The command group in which `/` moves to this field. */
  group?: string
}) => {
  const [text, setText] = useState(value)
  const field = useRef<HTMLInputElement>(null)
  const latest = useRef(onSearch)
  latest.current = onSearch

  useEffect(() => {
    const wanted = text.trim()
    if (wanted === value) return
    const timer = setTimeout(() => latest.current(wanted), waitMs)
    return () => clearTimeout(timer)
  }, [text, value, waitMs])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the URL changes the field, not the field itself
  useEffect(() => {
    if (text.trim() !== value && document.activeElement !== field.current) setText(value)
  }, [value])

  const run = (): void => {
    field.current?.focus()
    field.current?.select()
  }
  useCommands(group ? [{ id: `search ${group}`, label, group, keys: '/', icon: Search, run }] : [])
  const clear = (): void => {
    setText('')
    onSearch('')
  }
  return (
    <search className="search">
      <Search size={16} aria-hidden />
      <input
        ref={field}
        type="search"
        className="search__input"
        dir="auto"
        aria-label={label}
        placeholder={placeholder}
        maxLength={SEARCH_MAX}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (onLeave && (event.key === 'Enter' || event.key === 'ArrowDown')) {
            event.preventDefault()
            const wanted = text.trim()
            if (wanted !== value) onSearch(wanted)
            onLeave(wanted)
          } else if (event.key === 'Escape' && text !== '') {
            event.preventDefault()
            event.stopPropagation()
            clear()
          } else if (event.key === 'Escape' && onLeave) event.currentTarget.blur()
        }}
      />
      {text !== '' && (
        <IconButton
          icon={X}
          size="small"
          label={t`Clear search`}
          hasTooltip={false}
          onClick={() => {
            clear()
            field.current?.focus()
          }}
        />
      )}
    </search>
  )
}
