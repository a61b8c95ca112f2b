// What is being written, kept in this browser until it is saved, and whether somebody else saved meanwhile.
import { useEffect, useState } from 'react'
import type { KnowledgeItem, KnowledgeKind } from '../../state/knowledge.ts'
import { useSession } from '../../state/session.tsx'
import {
  type Draft,
  emptyForm,
  formOf,
  type ItemForm,
  isSameForm,
  readDraft,
  writeDraft,
} from './item-form.ts'

const begin = (item: KnowledgeItem | null): Draft => ({ form: item ? formOf(item) : emptyForm(), base: item })

export const useItemDraft = (kind: KnowledgeKind, item: KnowledgeItem | null) => {
  const signed = useSession()
  const id = item?.id ?? 'new'
  const [kept] = useState(() => readDraft(signed, kind, id))
  const [{ form, base }, setDraft] = useState<Draft>(kept ?? begin(item))
  const start = begin(base).form
  const isChanged = !isSameForm(form, start)
  useEffect(() => {
    writeDraft(signed, kind, id, isChanged ? { form, base } : null)
  }, [signed, kind, id, isChanged, form, base])
  // Nothing was written yet, so there is nothing to lose.
  const isBehind = item !== null && item.updatedAt !== base?.updatedAt
  useEffect(() => {
    if (isBehind && !isChanged) setDraft(begin(item))
  }, [isBehind, isChanged, item])
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
    discard: (): void => setDraft(begin(item)),
    /** Saving will replace what is stored now. */
    keepOwn: (): void => setDraft((known) => ({ ...known, base: item })),
    forget: (): void => writeDraft(signed, kind, id, null),
  }
}
