// Above the composer: a draft of the AI agent with its sources, to be put into the field, or a summary of the
// conversation. Nothing of it is sent by itself, and nothing replaces what was typed.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ScrollText, Sparkles, X } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { useCommands } from '../../state/commands.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { ReplyDrafts } from '../../state/types.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Keys } from '../../ui/kbd.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { toastError } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'
import { handOverWords } from './ai-words.ts'
import type { Rewriting } from './rewrite.tsx'

const Rewrite = lazy(() => import('./rewrite.tsx'))

/** In case the event that announces the draft is missed. */
const AGAIN_MS = 5_000

type Draft = ReplyDrafts['drafts'][number]

const pathOf = (conversationId: string): string => `/conversations/${conversationId}/reply-drafts`

/** What was asked for in this tab, shared by the buttons and what they open. */
const useSuggestion = (conversationId: string) => {
  const api = useApi()
  const client = useQueryClient()
  const queryKey = keys.replyDrafts(api.workspaceId, conversationId)
  const summaryKey = keys.summary(api.workspaceId, conversationId)
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.get<ReplyDrafts>(pathOf(conversationId), {}, signal),
    refetchInterval: ({ state }) => (state.data?.isWriting ? AGAIN_MS : false),
  })
  const summary = useQuery<string | null>({ queryKey: summaryKey, enabled: false, queryFn: () => null })
  const ask = useMutation({
    mutationFn: () => api.post<ReplyDrafts>(pathOf(conversationId)),
    onSuccess: (drafts) => client.setQueryData(queryKey, drafts),
    onError: toastError,
  })
  const dismiss = useMutation({
    mutationFn: (draftId: string) => api.post(`/reply-drafts/${draftId}/dismiss`),
    onMutate: () =>
      client.setQueryData<ReplyDrafts>(queryKey, (known) => known && { ...known, drafts: [], without: null }),
    onError: toastError,
    onSettled: () => client.invalidateQueries({ queryKey }),
  })
  const summarize = useMutation({
    mutationFn: () =>
      api.post<{ text: string }>(`/conversations/${conversationId}/summary`, {
        language: navigator.language.slice(0, 2).toLowerCase(),
      }),
    onSuccess: ({ text }) => client.setQueryData(summaryKey, text),
    onError: toastError,
  })
  return {
    data,
    ask,
    dismiss,
    summarize,
    summary: summary.data ?? null,
    forget: () => client.setQueryData(summaryKey, null),
  }
}

/** In the composer's foot. */
export const SuggestionButtons = ({
  conversationId,
  ...rewriting
}: { conversationId: string } & Rewriting) => {
  const { data, ask, summarize } = useSuggestion(conversationId)
  const isAvailable = data?.isAvailable === true
  const maySummarize = isAvailable && data.hasModel
  const isWriting = ask.isPending || data?.isWriting === true
  const suggest = (): void => {
    if (!isWriting) ask.mutate()
  }
  const sum = (): void => {
    if (!summarize.isPending) summarize.mutate()
  }
  useCommands([
    ...(isAvailable
      ? [
          {
            id: 'suggest',
            label: t`Suggest a reply`,
            group: t`Conversation`,
            keys: 'd',
            icon: Sparkles,
            run: suggest,
          },
        ]
      : []),
    ...(maySummarize
      ? [
          {
            id: 'summarize',
            label: t`Summarize conversation`,
            group: t`Conversation`,
            icon: ScrollText,
            run: sum,
          },
        ]
      : []),
  ])
  if (!isAvailable) return null
  return (
    <>
      <IconButton
        icon={Sparkles}
        label={t`Suggest a reply`}
        keys="d"
        disabled={isWriting}
        aria-busy={isWriting}
        onClick={suggest}
      />
      {maySummarize && (
        <IconButton
          icon={ScrollText}
          label={t`Summarize conversation`}
          disabled={summarize.isPending}
          aria-busy={summarize.isPending}
          onClick={sum}
        />
      )}
      <Suspense>{maySummarize && <Rewrite conversationId={conversationId} {...rewriting} />}</Suspense>
    </>
  )
}

type Props = {
  conversationId: string
  /** The draft that is in the field. */
  insertedId: string | null
  onInsert: (text: string, draftId: string) => void
}

const Suggestion = ({ conversationId, insertedId, onInsert }: Props) => {
  const { data, ask, dismiss, summary, forget } = useSuggestion(conversationId)
  /** What was dealt with in this tab before the server knows of it. */
  const [done, setDone] = useState<string | null>(null)
  const isWriting = data?.isWriting === true
  useEffect(() => {
    if (isWriting) setDone(null)
  }, [isWriting])
  if (!data) return null
  const drafts = data.drafts.some(({ id }) => id === insertedId || id === done) ? [] : data.drafts
  const without = data.without && `without ${data.without.reason}` !== done ? data.without : null
  const close = (): void => {
    if (summary !== null) forget()
    else if (drafts[0]) dismiss.mutate(drafts[0].id)
    else if (without) setDone(t`without ${without.reason}`)
  }
  const insert = ({ id, text }: Draft): void => {
    setDone(id)
    onInsert(text, id)
  }
  if (summary !== null)
    return (
      <Panel title={t`Summary`} onClose={close}>
        <p className="suggestion__text user-text" dir="auto">
          {summary}
        </p>
      </Panel>
    )
  if (isWriting)
    return (
      <p className="suggestion suggestion--writing" role="status">
        <Spinner /> {t`Writing a draft…`}
      </p>
    )
  if (drafts.length > 0)
    return (
      <Panel title={drafts.length === 1 ? t`Draft` : t`Drafts to choose from`} onClose={close}>
        {drafts.some(({ isStale }) => isStale) && (
          <p className="suggestion__stale">
            {t`The customer has written since.`}
            {data.isAvailable && (
              <Button size="small" variant="ghost" isBusy={ask.isPending} onClick={() => ask.mutate()}>
                {t`Suggest again`}
              </Button>
            )}
          </p>
        )}
        <Drafts drafts={drafts} onInsert={insert} />
      </Panel>
    )
  if (without) return <Without without={without} onClose={() => setDone(t`without ${without.reason}`)} />
  return null
}

export default Suggestion

/** What a hand-over calls otherwise. */
const WITHOUT: Record<string, string> = {
  silent: t`nothing to reply to`,
  no_knowledge: t`no article or answer fits`,
}

const Without = ({
  without: { reason, summary },
  onClose,
}: {
  without: NonNullable<ReplyDrafts['without']>
  onClose: () => void
}) => (
  <Panel title={t`No draft: ${WITHOUT[reason] ?? handOverWords(reason)}`} onClose={onClose}>
    {summary !== '' && (
      <p className="suggestion__text user-text" dir="auto">
        {summary}
      </p>
    )}
  </Panel>
)

/** Escape closes it, also from the composer's field, where it would otherwise only leave the field. */
const Panel = ({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) => {
  const panel = useRef<HTMLElement>(null)
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    const composer = panel.current?.closest<HTMLElement>('.composer')
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.isComposing) return
      event.preventDefault()
      event.stopPropagation()
      close.current()
    }
    composer?.addEventListener('keydown', onKeyDown, true)
    return () => composer?.removeEventListener('keydown', onKeyDown, true)
  }, [])
  useCommands([
    {
      id: 'dismiss suggestion',
      label: t`Dismiss draft or summary`,
      group: t`Conversation`,
      keys: 'escape',
      icon: X,
      run: onClose,
      inPalette: false,
    },
  ])
  return (
    <section className="suggestion" ref={panel} aria-label={title}>
      <header className="suggestion__head">
        <Sparkles size={14} aria-hidden />
        <h3 className="suggestion__title">{title}</h3>
        <IconButton icon={X} size="small" label={t`Dismiss`} keys="escape" onClick={onClose} />
      </header>
      <div className="suggestion__body">{children}</div>
    </section>
  )
}

/** The key inserts the first. */
const Drafts = ({ drafts, onInsert }: { drafts: Draft[]; onInsert: (draft: Draft) => void }) => {
  useCommands([
    {
      id: 'insert draft',
      label: t`Insert draft`,
      group: t`Conversation`,
      keys: 'mod+i',
      icon: Sparkles,
      whileTyping: true,
      run: () => drafts[0] && onInsert(drafts[0]),
    },
  ])
  return drafts.map((draft, at) => (
    <article key={draft.id} className="suggestion__draft" aria-label={t`Draft ${at + 1}`}>
      <p className="suggestion__text user-text" dir="auto">
        {draft.text}
      </p>
      {draft.isWithheld && (
        <p className="suggestion__sources">
          <Badge tone="warn">{t`Not sent`}</Badge>{' '}
          {t`The AI agent wasn’t sure enough of this reply. Check it before you send it.`}
        </p>
      )}
      <div className="suggestion__foot">
        {draft.program === null ? <Sources sources={draft.sources} /> : <Proposer name={draft.program} />}
        <Button size="small" variant="secondary" onClick={() => onInsert(draft)}>
          {t`Insert`} {at === 0 && <Keys keys="mod+i" />}
        </Button>
      </div>
    </article>
  ))
}

const Proposer = ({ name }: { name: string }) => (
  <p className="suggestion__sources">
    <span>
      {rich`Proposed by ${<bdi>{name}</bdi>}`} <Badge>{t`Program`}</Badge>
    </span>
  </p>
)

const Sources = ({ sources }: { sources: Draft['sources'] }) => (
  <ul className="suggestion__sources">
    {sources.map(({ type, id, title, isInternal, quote }) => (
      <li key={id}>
        <Link
          to="/knowledge/$kind/$itemId"
          params={{ kind: type === 'answer' ? 'answers' : 'articles', itemId: id }}
          data-tip={quote}
        >
          <bdi>{title}</bdi>
        </Link>
        {isInternal && <Badge tone="warn">{t`Internal`}</Badge>}
      </li>
    ))}
  </ul>
)
