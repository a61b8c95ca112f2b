// The form of an article or answer. What is written survives a reload, and nobody's changes are overwritten unseen.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { useCommands } from '../../state/commands.ts'
import { closeGap, type Gap, gapsChanged } from '../../state/gaps.ts'
import {
  type KnowledgeItem,
  type KnowledgeKind,
  knowledgeChanged,
  saveKnowledge,
} from '../../state/knowledge.ts'
import { useSession } from '../../state/session.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Form } from '../../ui/form.tsx'
import { DeleteDialog } from '../../ui/lazy-dialogs.ts'
import { Page } from '../../ui/page.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'
import { AudienceFields, TextFields } from './item-fields.tsx'
import { bodyOf, type ItemForm } from './item-form.ts'
import { useItemDraft } from './use-item-draft.ts'
import { KIND_WORDS } from './words.ts'

type State = 'draft' | 'published'

type Props = {
  kind: KnowledgeKind
  item: KnowledgeItem | null
  /** The unanswered questions that a new answer is for. */
  gap: Gap | null
  /** The gap's turn, or the reply that it is made from. */
  origin: string | undefined
  /** Of the gap's texts: what was replaced in them, and the customer's names. */
  personal: string[]
}

export const ItemEditor = ({ kind, item, gap, origin, personal }: Props) => {
  const { api, can } = useSession()
  const client = useQueryClient()
  const navigate = useNavigate()
  const draft = useItemDraft(kind, item, gap, origin)
  const [isDeleting, setDeleting] = useState(false)
  const mayEdit = can('manage_knowledge')
  const { one } = KIND_WORDS[kind]
  const save = useMutation<KnowledgeItem, ApiError, State>({
    mutationFn: (state) =>
      saveKnowledge(api, kind, item?.id ?? null, bodyOf(kind, draft.form, { state, item: draft.base })),
    onSuccess: async ({ id }, state) => {
      draft.forget()
      if (gap && gap.turnIds.length > 0 && state === 'published')
        await closeGap(api, { turnIds: gap.turnIds, answerId: id })
          .then(() => gapsChanged(client, api.workspaceId))
          .catch(toastError)
      toast(state === 'draft' ? t`Draft saved` : item?.state === 'published' ? t`Saved` : t`Published`)
      await navigate({ to: '/knowledge' })
      await knowledgeChanged(client, api.workspaceId)
    },
    onError: (error) => {
      if (error.code === 'KNOWLEDGE_CHANGED') void knowledgeChanged(client, api.workspaceId)
    },
  })
  const isPublished = item?.state === 'published'
  const submit = (): void => save.mutate('published')
  useCommands(
    mayEdit
      ? [
          {
            id: 'save',
            label: isPublished ? t`Save` : t`Publish`,
            group: t`Knowledge`,
            keys: 'mod+enter',
            whileTyping: true,
            run: submit,
          },
        ]
      : [],
  )
  const isConflict = save.error?.code === 'KNOWLEDGE_CHANGED'
  return (
    <Page
      isNarrow
      back={<BackLink to="/knowledge">{t`Knowledge`}</BackLink>}
      title={
        <span className="row row--wrap">
          <bdi className="title-text">{item ? item.title : t`New ${one}`}</bdi>
          {item && <Badge tone={isPublished ? 'ok' : 'plain'}>{isPublished ? t`Published` : t`Draft`}</Badge>}
        </span>
      }
      actions={
        item &&
        mayEdit && (
          <Button icon={Trash2} onClick={() => setDeleting(true)}>
            {t`Delete`}
          </Button>
        )
      }
    >
      <Notices draft={draft} one={one} />
      <Personal personal={personal} form={draft.form} />
      <Form error={isConflict ? null : save.error} onSubmit={submit}>
        <fieldset className="stack stack--fields" disabled={!mayEdit}>
          <legend className="hidden-visually">{KIND_WORDS[kind].many}</legend>
          <TextFields kind={kind} form={draft.form} isNew={item === null} onChange={draft.set} />
          <AudienceFields form={draft.form} onChange={draft.set} />
        </fieldset>
        {mayEdit && (
          <div className="row row--wrap">
            <Button type="submit" variant="primary" isBusy={save.isPending} disabled={draft.hasConflict}>
              {isPublished ? t`Save` : t`Publish`}
            </Button>
            <Button disabled={save.isPending || draft.hasConflict} onClick={() => save.mutate('draft')}>
              {isPublished ? t`Unpublish` : t`Save draft`}
            </Button>
            <ButtonLink to="/knowledge" variant="ghost">
              {t`Cancel`}
            </ButtonLink>
          </div>
        )}
      </Form>
      <Suspense>
        {item && isDeleting && (
          <DeleteDialog
            what={one}
            name={item.title}
            about={t`The AI agent won’t use it any more.`}
            onClose={() => setDeleting(false)}
            onDelete={async () => {
              await api.delete(`/knowledge/${kind}/${item.id}`)
              draft.forget()
              await navigate({ to: '/knowledge' })
              await knowledgeChanged(client, api.workspaceId)
            }}
          />
        )}
      </Suspense>
    </Page>
  )
}

/** As long as it is in the texts. */
const Personal = ({ personal, form }: { personal: string[]; form: ItemForm }) => {
  const text = [form.title, form.body, form.phrasings].join('\n').toLowerCase()
  const left = personal.filter((one) => text.includes(one.toLowerCase()))
  return (
    left.length > 0 && (
      <Banner tone="warn">
        {rich`Check for personal data before you publish: ${<bdi>{left.join(', ')}</bdi>}`}
      </Banner>
    )
  )
}

const Notices = ({ draft, one }: { draft: ReturnType<typeof useItemDraft>; one: string }) => {
  if (draft.hasConflict)
    return (
      <Banner
        tone="warn"
        action={
          <span className="row row--wrap">
            <Button size="small" onClick={draft.discard}>
              {t`Load their version`}
            </Button>
            <Button size="small" onClick={draft.keepOwn}>
              {t`Keep mine`}
            </Button>
          </span>
        }
      >
        {rich`Someone else changed this ${one} while you were writing.`}
      </Banner>
    )
  return (
    draft.isRestored && (
      <Banner
        action={
          <Button size="small" onClick={draft.discard}>
            {t`Discard`}
          </Button>
        }
      >
        {t`Your unsaved changes have been restored.`}
      </Banner>
    )
  )
}
