import { Search, X } from 'lucide-react'
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { IconButton } from './button.tsx'

const WAIT_MS = 250
const SEARCH_MAX = 160

/** A search field that reports changes after a pause in typing. `value` is the current search, e.g. from the URL. */
export const SearchField = ({
  label,
  placeholder = 'Search…',
  value,
  onSearch,
  ref,
}: {
  label: string
  placeholder?: string
  value: string
  onSearch: (text: string) => void
  ref?: Ref<HTMLInputElement>
}) => {
  const [text, setText] = useState(value)
  const field = useRef<HTMLInputElement>(null)
  useImperativeHandle(ref, () => field.current!)
  const latest = useRef(onSearch)
  latest.current = onSearch

  useEffect(() => {
    const wanted = text.trim()
    if (wanted === value) return
    const timer = setTimeout(() => latest.current(wanted), WAIT_MS)
    return () => clearTimeout(timer)
  }, [text, value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the URL changes the field, not the field itself
  useEffect(() => {
    if (text.trim() !== value && document.activeElement !== field.current) setText(value)
  }, [value])

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
          if (event.key !== 'Escape' || text === '') return
          event.preventDefault()
          event.stopPropagation()
          setText('')
          onSearch('')
        }}
      />
      {text !== '' && (
        <IconButton
          icon={X}
          size="small"
          label="Clear search"
          hasTooltip={false}
          onClick={() => {
            setText('')
            onSearch('')
            field.current?.focus()
          }}
        />
      )}
    </search>
  )
}
