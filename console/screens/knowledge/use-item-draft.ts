// What is being written, kept in this browser until it is saved, and whether somebody else saved meanwhile.
import { useEffect, useState } from 'react'
import type { Gap } from '../../state/gaps.ts'
import type { KnowledgeItem, KnowledgeKind } from '../../state/knowledge.ts'
import { useSession } from '../../state/session.tsx'
import {
  type Draft,
  emptyForm,
  formOf,
  formOfGap,
  type ItemForm,
  isSameForm,
  readDraft,
  writeDraft,
} from './item-form.ts'

const begin = (item: KnowledgeItem | null, gap: Gap | null): Draft => ({
  form: item ? formOf(item) : gap ? formOfGap(gap) : emptyForm(),
  base: item,
})

/** `origin`: what a new one is made from; each has a draft of its own. */
export const useItemDraft = (
  kind: KnowledgeKind,
  item: KnowledgeItem | null,
  gap: Gap | null,
  origin?: string,
) => {
  const signed = useSession()
  const id = item?.id ?? (gap && origin ? `gap.${origin}` : 'new')
  const [kept] = useState(() => readDraft(signed, kind, id))
  const [{ form, base }, setDraft] = useState<Draft>(kept ?? begin(item, gap))
  const start = begin(base, gap).form
  const isChanged = !isSameForm(form, start)
  useEffect(() => {
    writeDraft(signed, kind, id, isChanged ? { form, base } : null)
  }, [signed, kind, id, isChanged, form, base])
  // Nothing was written yet, so there is nothing to lose.
  const isBehind = item !== null && item.updatedAt !== base?.updatedAt
  useEffect(() => {
    if (isBehind && !isChanged) setDraft(begin(item, gap))
  }, [isBehind, isChanged, item, gap])
  return {
    form,
    base,
    isChanged,
    /** Whether it was written before this page was opened. */
    isRestored: kept !== null && isChanged,
    /** Somebody else saved it, and both have changes. */
    hasConflict: isBehind && isChanged,
    set: (change: Partial<ItemForm>): void =>
      setDraft((known) => ({ ...known, form: { ...known.form, ...change } })),
    /** Back to what is stored. */
    discard: (): void => setDraft(begin(item, gap)),
    /** Saving will replace what is stored now. */
    keepOwn: (): void => setDraft((known) => ({ ...known, base: item })),
    forget: (): void => writeDraft(signed, kind, id, null),
  }
}
