// Looks for words in the open conversation: marks them, and goes from match to match, the newest first.
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef } from 'react'
import { findMarks } from '../../../marks/find-marks.ts'
import { useCommands } from '../../state/commands.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { ThreadMatches } from '../../state/types.ts'
import { IconButton } from '../../ui/button.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { t } from '../../words/t.ts'
import type { Finding } from './use-find.ts'
import type { ThreadPlace } from './use-thread-place.ts'

/** The server lists no more than this. */
const LISTED_MAX = 200

type Props = {
  conversationId: string
  find: string
  at: string | undefined
  place: ThreadPlace
  finding: Finding
}

/** Matches are newest first; ids are ordered by time, so that a removed match still has its place among them. */
const besideOf = (ids: readonly string[], id: string | null, step: 1 | -1): string | undefined => {
  if (id === null) return ids[0]
  const next = step > 0 ? ids.find((other) => other < id) : ids.findLast((other) => other > id)
  return next ?? (step > 0 ? ids[0] : ids.at(-1))
}

/** The matches, which are marked in the thread as long as the bar is there. */
const useMatches = (conversationId: string, find: string, { setMarks, setFoundId }: Finding) => {
  const api = useApi()
  const { data } = useQuery({
    queryKey: keys.threadMatches(api.workspaceId, conversationId, find),
    queryFn: ({ signal }) =>
      api.get<ThreadMatches>(`/conversations/${conversationId}/matches`, { q: find }, signal),
    enabled: find !== '',
  })
  const sources = (find && data?.expressions.join('\n')) || ''
  const marks = useMemo(() => {
    if (!sources) return null
    const expressions = sources.split('\n').map((source) => new RegExp(source, 'gu'))
    return (text: string) => findMarks(text, expressions)
  }, [sources])
  useEffect(() => setMarks({ find: marks }), [marks, setMarks])
  useEffect(
    () => () => {
      setMarks({ find: null })
      setFoundId(null)
    },
    [setMarks, setFoundId],
  )
  return { ids: (find && data?.entryIds) || NONE, isThere: find !== '' && data !== undefined }
}

const FindBar = ({ conversationId, find, at, place, finding }: Props) => {
  const navigate = useNavigate()
  const { foundId, setFoundId, setAsked, isAsked } = finding
  const { goTo } = place
  const { ids, isThere } = useMatches(conversationId, find, finding)

  const show = useCallback(
    (id: string) => {
      setFoundId(id)
      goTo(id)
    },
    [setFoundId, goTo],
  )
  // What is typed here goes to its newest match; a result of the search opens at its own.
  const shownFor = useRef<string>(undefined)
  useEffect(() => {
    if (at) setFoundId(at)
    if (at) shownFor.current = find
  }, [at, find, setFoundId])
  useEffect(() => {
    if (!isThere || shownFor.current === find) return
    shownFor.current = find
    if (ids[0]) show(ids[0])
    else setFoundId(null)
  }, [isThere, ids, find, show, setFoundId])

  const step = (by: 1 | -1): void => {
    const id = besideOf(ids, foundId, by)
    if (id) show(id)
  }
  const change = (change: { find?: string; at?: string }): void =>
    void navigate({ to: '.', search: (known) => ({ ...known, ...change }), replace: true })
  const close = (): void => {
    setAsked(false)
    change({ find: undefined, at: undefined })
  }
  const group = t`Conversation`
  useCommands([
    {
      id: 'match next',
      label: t`Next match`,
      group,
      keys: ['mod+g', 'f3'],
      whileTyping: true,
      run: () => step(1),
    },
    {
      id: 'match previous',
      label: t`Previous match`,
      group,
      keys: ['mod+shift+g', 'shift+f3'],
      whileTyping: true,
      run: () => step(-1),
    },
    { id: 'match close', label: t`Close search in conversation`, group, keys: 'escape', run: close },
  ])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || !(event.target instanceof HTMLInputElement)) return
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1)
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const bar = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isAsked) bar.current?.querySelector('input')?.focus()
  }, [isAsked])

  return (
    <div ref={bar} className="find-bar" onKeyDownCapture={onKeyDown}>
      <SearchField
        label={t`Find in conversation`}
        placeholder={t`Find in conversation`}
        value={find}
        onSearch={(text) => {
          setAsked(true)
          change({ find: text || undefined, at: undefined })
        }}
      />
      <span className="find-bar__count numeric" role="status">
        {isThere && placeWords(ids, foundId)}
      </span>
      <IconButton
        icon={ChevronUp}
        label={t`Next match`}
        keys="mod+g"
        disabled={ids.length === 0}
        onClick={() => step(1)}
      />
      <IconButton
        icon={ChevronDown}
        label={t`Previous match`}
        keys="mod+shift+g"
        disabled={ids.length === 0}
        onClick={() => step(-1)}
      />
      <IconButton icon={X} label={t`Close`} onClick={close} />
    </div>
  )
}
export default FindBar

const NONE: string[] = []

const placeWords = (ids: readonly string[], id: string | null): string => {
  if (ids.length === 0) return t`No matches`
  const count = `${ids.length}${ids.length >= LISTED_MAX ? '+' : ''}`
  const index = id === null ? -1 : ids.indexOf(id)
  return index === -1 ? (ids.length === 1 ? t`1 match` : t`${count} matches`) : t`${index + 1} of ${count}`
}
