// The emoji to choose from, by arrow keys or by words. Loaded when it is opened.
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { t } from '../../words/t.ts'
import { EMOJI, type Emoji } from './emoji-data.ts'

const COLUMNS = 8

const STEPS: Record<string, number> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -COLUMNS,
  ArrowDown: COLUMNS,
}

const filtered = (search: string, only: readonly string[] | undefined): readonly Emoji[] => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const offered = only ? EMOJI.filter(({ emoji }) => only.includes(emoji)) : EMOJI
  return offered.filter((one) => words.every((word) => one.words.includes(word) || one.emoji === word))
}

const EmojiPicker = ({
  onPick,
  only,
}: {
  onPick: (emoji: string) => void
  /** Others are left out. */
  only?: readonly string[] | undefined
}) => {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [search, setSearch] = useState('')
  const [active, setActive] = useState(0)
  const shown = useMemo(() => filtered(search, only), [search, only])
  const groups = useMemo(() => [...new Set(shown.map(({ group }) => group))], [shown])
  useEffect(() => input.current?.focus(), [])
  useEffect(() => {
    list.current?.querySelector(`[data-index="${active}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [active])

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const step = STEPS[event.key]
    // In a text that is searched for, these move the cursor.
    if (step !== undefined && !(search !== '' && Math.abs(step) === 1)) {
      event.preventDefault()
      setActive(Math.min(shown.length - 1, Math.max(0, active + step)))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      const chosen = shown[active]
      if (chosen) onPick(chosen.emoji)
    }
  }

  return (
    <div className="picker emoji-picker">
      <input
        ref={input}
        className="picker__search"
        role="combobox"
        aria-label={t`Search emoji`}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={shown[active] ? `${id}-${active}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder={t`Search emoji…`}
        value={search}
        onChange={({ target }) => {
          setSearch(target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label={t`Emoji`}
        className="picker__list"
        tabIndex={-1}
      >
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options
          <div key={group} role="group" aria-label={group}>
            <div className="menu__label" role="presentation">
              {group}
            </div>
            <div className="emoji-picker__grid" role="presentation">
              {shown.map(
                (one, at) =>
                  one.group === group && (
                    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keyboard
                    // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant points here, focus stays above
                    <div
                      key={one.emoji}
                      id={`${id}-${at}`}
                      data-index={at}
                      data-highlighted={at === active ? '' : undefined}
                      role="option"
                      aria-selected={at === active}
                      aria-label={one.words}
                      title={one.words}
                      className="emoji-picker__one"
                      onPointerMove={() => at !== active && setActive(at)}
                      onClick={() => onPick(one.emoji)}
                    >
                      {one.emoji}
                    </div>
                  ),
              )}
            </div>
          </div>
        ))}
        {shown.length === 0 && <div className="picker__empty">{t`No results.`}</div>}
      </div>
    </div>
  )
}

export default EmojiPicker
