// Another version of the reply that is being written, by the model: it replaces the text, which can be undone, and
// nothing is sent.

import { useMutation } from '@tanstack/react-query'
import { Undo2, WandSparkles } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useCommands } from '../../state/commands.ts'
import { useApi } from '../../state/session.tsx'
import type { RewriteBody, Rewritten } from '../../state/types.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { LOCALE } from '../../words/locale.ts'
import { rich, t } from '../../words/t.ts'
import type { RichField } from './email/handle.ts'

/** Where a reply is written, or an email. */
type Fields = { field: RefObject<HTMLTextAreaElement | null>; rich: RefObject<RichField | null> }

/** What is in the composer's field, and the field. */
export type Rewriting = { fields: Fields; text: string; isFormatted: boolean }

type As = RewriteBody['as']

const WAYS: { as: As; label: string; done: string }[] = [
  { as: 'translate', label: t`Translate for the customer`, done: t`Translated` },
  { as: 'shorten', label: t`Make shorter`, done: t`Made shorter` },
  { as: 'friendlier', label: t`Make friendlier`, done: t`Made friendlier` },
  { as: 'more_formal', label: t`Make more formal`, done: t`Made more formal` },
]

/** `after`: null until the field has it, in its own form. */
type Done = { before: string; after: string | null; words: string; toCheck: string[] }

/** As typed, so that the browser's own undo takes it back as well. */
const replaceIn = ({ field, rich }: Fields, text: string): void => {
  rich.current?.replace(text)
  const element = rich.current ? null : field.current
  if (!element) return
  element.focus()
  element.select()
  document.execCommand('insertText', false, text)
}

const wordsOf = (as: As, { language }: Rewritten): string => {
  const done = WAYS.find((way) => way.as === as)?.done ?? ''
  if (language === null) return done
  const name = new Intl.DisplayNames(LOCALE, { type: 'language' }).of(language)
  return t`${done} into ${name}`
}

const Rewrite = ({ conversationId, fields, text, isFormatted }: { conversationId: string } & Rewriting) => {
  const api = useApi()
  const [done, setDone] = useState<Done | null>(null)
  const now = useRef(text)
  now.current = text
  const ask = useMutation({
    mutationFn: (body: RewriteBody) => api.post<Rewritten>(`/conversations/${conversationId}/rewrite`, body),
    onSuccess: (rewritten, { text: before, as }) => {
      if (now.current !== before) {
        toast(t`You changed the text meanwhile, so it wasn’t replaced.`)
        return
      }
      replaceIn(fields, rewritten.text)
      const words = `${wordsOf(as, rewritten)}${isFormatted ? t`, without formatting` : ''}.`
      setDone({ before, after: null, words, toCheck: rewritten.toCheck })
    },
    onError: toastError,
  })
  useEffect(() => {
    if (done?.after === null && text !== done.before) setDone({ ...done, after: text })
  }, [done, text])
  const isEmpty = text.trim() === ''
  const start = (as: As): void => {
    if (!isEmpty && !ask.isPending) ask.mutate({ text, as })
  }
  useCommands(
    WAYS.map(({ as, label }) => ({
      id: `rewrite ${as}`,
      label: t`${label} (reply)`,
      group: t`Conversation`,
      icon: WandSparkles,
      run: () => start(as),
    })),
  )
  const undo = (): void => {
    if (!done) return
    if (fields.rich.current) fields.rich.current.undo()
    else replaceIn(fields, done.before)
    setDone(null)
  }
  return (
    <>
      <Menu
        label={t`Rewrite`}
        side="top"
        align="start"
        trigger={
          <IconButton
            icon={WandSparkles}
            label={t`Rewrite`}
            disabled={isEmpty || ask.isPending}
            aria-busy={ask.isPending}
          />
        }
      >
        {WAYS.map(({ as, label }) => (
          <MenuItem key={as} onSelect={() => start(as)}>
            {label}
          </MenuItem>
        ))}
      </Menu>
      {done && text === done.after && (
        <p className="rewritten" role="status">
          <span>
            {done.words}
            {done.toCheck.length > 0 && (
              <strong> {rich`Check before you send: ${<bdi>{done.toCheck.join(', ')}</bdi>}`}</strong>
            )}
          </span>
          <Button size="small" variant="ghost" icon={Undo2} onClick={undo}>
            {t`Undo`}
          </Button>
        </p>
      )}
    </>
  )
}
export default Rewrite
