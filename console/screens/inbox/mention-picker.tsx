import { useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useState } from 'react'
import { useApi, useSession } from '../../state/session.tsx'
import type { Mentionable } from '../../state/types.ts'
import { Avatar } from '../../ui/badge.tsx'
import { t } from '../../words/t.ts'
import { mentionableQuery } from './mentions.ts'

const SHOWN_MAX = 6
/** An @ that begins a word, and what was typed of the name so far. */
const TYPED = /(?:^|[^\p{L}\p{N}_])@([^\n@]{0,40})$/u

type Field = RefObject<HTMLTextAreaElement | null>

const typedBefore = (field: HTMLTextAreaElement | null): string | null =>
  field && field.selectionStart === field.selectionEnd
    ? (TYPED.exec(field.value.slice(0, field.selectionStart))?.[1] ?? null)
    : null

const matching = (people: readonly Mentionable[], typed: string): Mentionable[] => {
  const wanted = typed.toLowerCase()
  const names = (nickname: string) => [nickname, ...nickname.split(' ')].map((name) => name.toLowerCase())
  return people
    .filter(({ nickname }) => names(nickname).some((name) => name.startsWith(wanted)))
    .sort((a, b) => Number(b.canSee) - Number(a.canSee))
    .slice(0, SHOWN_MAX)
}

const useTyped = (field: Field, text: string): string | null => {
  const [typed, setTyped] = useState<string | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caret moves with the text
  useEffect(() => {
    const look = (): void => setTyped(typedBefore(field.current))
    look()
    document.addEventListener('selectionchange', look)
    return () => document.removeEventListener('selectionchange', look)
  }, [field, text])
  return typed
}

/** Before the field's own keys, of which Enter would add the note. */
const useKeysOf = (field: Field, onKey: (event: KeyboardEvent) => void): void => {
  useEffect(() => {
    const element = field.current
    element?.addEventListener('keydown', onKey)
    return () => element?.removeEventListener('keydown', onKey)
  })
}

/** Names of teammates after an @ in a note, chosen with the arrow keys while the field keeps the focus. */
const MentionPicker = ({
  field,
  conversationId,
  text,
  onChange,
}: {
  field: Field
  conversationId: string
  text: string
  onChange: (text: string) => void
}) => {
  const { session } = useSession()
  const { data: people = [] } = useQuery(mentionableQuery(useApi(), conversationId))
  const typed = useTyped(field, text)
  const [closedAt, setClosedAt] = useState<string | null>(null)
  const [index, setIndex] = useState(0)

  const others = people.filter(({ id }) => id !== session.account.id)
  const found = typed === null || closedAt === text ? [] : matching(others, typed)
  const at = Math.min(index, found.length - 1)

  const choose = ({ nickname, canSee }: Mentionable): void => {
    const element = field.current
    if (!element || !canSee || typed === null) return
    const caret = element.selectionStart
    const start = caret - typed.length
    const next = `${text.slice(0, start)}${nickname} ${text.slice(caret)}`
    onChange(next)
    setClosedAt(next)
    setIndex(0)
    const end = start + nickname.length + 1
    requestAnimationFrame(() => element.setSelectionRange(end, end))
  }
  const onKey = (event: KeyboardEvent): void => {
    if (found.length === 0 || event.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const person = found[at]
    if (step !== undefined) setIndex((at + step + found.length) % found.length)
    else if ((event.key === 'Enter' || event.key === 'Tab') && person?.canSee) choose(person)
    else if (event.key === 'Escape') setClosedAt(text)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  useKeysOf(field, onKey)

  if (found.length === 0) return null
  return (
    <div className="mentions menu" role="listbox" aria-label={t`Mention a teammate`}>
      {found.map((person, place) => (
        <button
          key={person.id}
          type="button"
          role="option"
          tabIndex={-1}
          className="menu__item"
          aria-selected={place === at}
          aria-disabled={!person.canSee}
          data-disabled={person.canSee ? undefined : ''}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(person)}
        >
          <Avatar name={person.nickname} seed={person.id} size="small" />
          <bdi>{person.nickname}</bdi>
          {!person.canSee && <span className="menu__hint">{t`Can’t see this conversation`}</span>}
        </button>
      ))}
    </div>
  )
}
export default MentionPicker
