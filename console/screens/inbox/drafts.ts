// Unsent drafts per conversation, stored in this browser: they survive a reload and are shared between tabs, but not
// with the next person who signs in here.
import { useCallback, useEffect, useState } from 'react'
import { useSession } from '../../state/session.tsx'
import type { Mail, UsedReply } from '../../state/types.ts'
import { nameOf, DRAFT_PREFIX as PREFIX, type Writer } from './has-draft.ts'

/** The message being replied to. */
export type Quoted = { id: string; name: string; text: string }
export type Draft = {
  reply: string
  note: string
  mode: 'reply' | 'note'
  quoted: Quoted | null
  /** The AI agent's draft that the reply was written from. */
  fromId: string | null
  /** What a saved reply does once the reply is sent. */
  after: Afterwards | null
  /** Of an email: the reply with formatting; null if it has none. */
  html: string | null
  /** Recipients, subject and quote; null: as the newest message suggests. */
  mail: Mail | null
}

export type Afterwards = Pick<UsedReply, 'tags' | 'assignee' | 'closes'>

/** A draft of the AI agent goes below what was typed, never in its place. */
export const withProposed = (draft: Draft, text: string, fromId: string): Draft => {
  const typed = draft.reply.trimEnd()
  const html = draft.html && draft.html + linesOf(`\n${text}`)
  return { ...draft, mode: 'reply', reply: typed === '' ? text : `${typed}\n\n${text}`, html, fromId }
}

/** Plain text beside formatted text. */
const linesOf = (text: string): string =>
  text
    .replace(/[&<>]/g, (one) => `&#${one.charCodeAt(0)};`)
    .replace(/.*\n?/g, (line) => line && `<div>${line}</div>`)

/** What was taken back goes above what was typed meanwhile. */
export const withReturned = (
  draft: Draft,
  {
    kind,
    body,
    quoted,
    draftId,
    html,
    mail,
    after,
  }: Pick<Draft, 'mail' | 'html'> & {
    kind: Draft['mode']
    body: string
    quoted?: Quoted | null
    draftId?: string | null
    after?: Afterwards | null | undefined
  },
): Draft => ({
  ...draft,
  mode: kind,
  [kind]: [body, draft[kind].trim()].filter(Boolean).join('\n\n'),
  ...(kind === 'reply' && {
    quoted: quoted ?? draft.quoted,
    fromId: draftId ?? draft.fromId,
    mail: mail ?? draft.mail,
    html:
      (html ?? draft.html) &&
      (html ?? linesOf(body)) + (draft.html ?? linesOf(draft.reply && `\n${draft.reply}`)),
    after: after ?? draft.after,
  }),
})

const NOTHING = { quoted: null, fromId: null, after: null, html: null, mail: null }
const EMPTY: Draft = { reply: '', note: '', mode: 'reply', ...NOTHING }
const KEPT_MAX = 200

const parse = (stored: string | null): Draft => {
  try {
    return stored ? { ...EMPTY, ...(JSON.parse(stored) as Partial<Draft>) } : EMPTY
  } catch {
    return EMPTY
  }
}

const readDraft = (writer: Writer, conversationId: string): Draft =>
  parse(localStorage.getItem(nameOf(writer, conversationId)))

const writeDraft = (writer: Writer, conversationId: string, draft: Draft): void => {
  const name = nameOf(writer, conversationId)
  if (draft.reply === '' && draft.note === '' && !draft.mail) {
    localStorage.removeItem(name)
    return
  }
  try {
    localStorage.setItem(name, JSON.stringify({ ...draft, at: Date.now() }))
  } catch {
    dropOldest()
  }
}

/**
 * Follows changes that other tabs make to the draft, including sending it, so that it isn't sent again from here. Text
 * written only here in the meantime is kept.
 */
const followDraft = (
  writer: Writer,
  conversationId: string,
  change: (follow: (known: Draft) => Draft) => void,
): (() => void) => {
  const name = nameOf(writer, conversationId)
  const onStorage = ({ key, oldValue, newValue }: StorageEvent): void => {
    if (key !== name) return
    const [before, after] = [parse(oldValue), parse(newValue)]
    change((known) =>
      known.reply === before.reply && known.note === before.note ? { ...after, mode: known.mode } : known,
    )
  }
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}

/** The agent's draft for a conversation, and how to change it. */
export const useDraft = (conversationId: string): [Draft, (draft: Draft) => void] => {
  const { session, workspace } = useSession()
  const [draft, setDraft] = useState(() => readDraft({ session, workspace }, conversationId))
  useEffect(
    () => followDraft({ session, workspace }, conversationId, setDraft),
    [session, workspace, conversationId],
  )
  const change = useCallback(
    (next: Draft) => {
      setDraft(next)
      writeDraft({ session, workspace }, conversationId, next)
    },
    [session, workspace, conversationId],
  )
  return [draft, change]
}

/** Drops the oldest drafts when storage is (nearly) full. */
const dropOldest = (): void => {
  const drafts = Object.keys(localStorage)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => {
      try {
        return { name, at: Number((JSON.parse(localStorage.getItem(name)!) as { at?: number }).at ?? 0) }
      } catch {
        return { name, at: 0 }
      }
    })
    .sort((a, b) => b.at - a.at)
  for (const { name } of drafts.slice(Math.min(KEPT_MAX, Math.floor(drafts.length / 2))))
    localStorage.removeItem(name)
}
