// What was begun and not sent, for each conversation, in this browser: it survives a reload, and another tab sees it.
export type Draft = { reply: string; note: string; mode: 'reply' | 'note' }

const EMPTY: Draft = { reply: '', note: '', mode: 'reply' }
const PREFIX = 'foyer.draft.'
const KEPT_MAX = 200

const nameOf = (workspaceId: string, conversationId: string): string =>
  `${PREFIX}${workspaceId}.${conversationId}`

export const readDraft = (workspaceId: string, conversationId: string): Draft => {
  try {
    const stored = localStorage.getItem(nameOf(workspaceId, conversationId))
    return stored ? { ...EMPTY, ...(JSON.parse(stored) as Partial<Draft>) } : EMPTY
  } catch {
    return EMPTY
  }
}

export const writeDraft = (workspaceId: string, conversationId: string, draft: Draft): void => {
  const name = nameOf(workspaceId, conversationId)
  if (draft.reply === '' && draft.note === '') {
    localStorage.removeItem(name)
    return
  }
  try {
    localStorage.setItem(name, JSON.stringify({ ...draft, at: Date.now() }))
  } catch {
    dropOldest()
  }
}

export const hasDraft = (workspaceId: string, conversationId: string): boolean =>
  localStorage.getItem(nameOf(workspaceId, conversationId)) !== null

/** The storage is full, or nearly: the oldest drafts go first. */
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
