// Contact details shared by the inbox's contact panel and the contact's own page.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, Tag as TagIcon, Workflow } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { fullMoment, shortMoment } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useSession } from '../../state/session.tsx'
import { tagsQuery } from '../../state/tags.ts'
import type { ConversationRow, Profile, Tag as TagType } from '../../state/types.ts'
import { Badge, Tag } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Popover } from '../../ui/popover.tsx'
import { toastError } from '../../ui/toast.tsx'
import { LOCALE } from '../../words/locale.ts'
import { t } from '../../words/t.ts'

// Loaded when needed: most conversations are opened without using the picker.
const Picker = lazy(async () => ({ default: (await import('../../ui/picker.tsx')).Picker }))

export const Part = ({
  title,
  action,
  children,
}: {
  title: string
  action?: React.ReactNode
  children: React.ReactNode
}) => (
  <section className="customer__part">
    <header className="row row--between">
      <h3 className="customer__title">{title}</h3>
      {action}
    </header>
    {children}
  </section>
)

export const None = () => <span className="text-soft">{t`none`}</span>

const countries = new Intl.DisplayNames(LOCALE, { type: 'region' })
export const countryOf = (iso: string): string => {
  try {
    return countries.of(iso) ?? iso
  } catch {
    return iso
  }
}

export const Tags = ({ contactId, mayEdit }: { contactId: string; mayEdit: boolean }) => {
  const { api } = useSession()
  const client = useQueryClient()
  const queryKey = keys.contactTags(api.workspaceId, contactId)
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.get<{ tags: TagType[] }>(`/contacts/${contactId}/tags`, {}, signal),
  })
  const { data: all } = useQuery({ ...tagsQuery(api), enabled: mayEdit })
  const tags = data?.tags ?? []
  const chosen = new Set(tags.map(({ id }) => id))
  const save = useMutation({
    mutationFn: (next: TagType[]) =>
      api.put<{ tags: TagType[] }>(`/contacts/${contactId}/tags`, { tagIds: next.map(({ id }) => id) }),
    onMutate: (next) => {
      client.setQueryData(queryKey, { tags: next })
      return tags
    },
    onError: (error, _next, before) => {
      client.setQueryData(queryKey, { tags: before })
      toastError(error)
    },
  })
  const toggle = (id: string): void => {
    const tag = all?.tags.find((other) => other.id === id)
    if (!tag) return
    save.mutate(chosen.has(id) ? tags.filter((other) => other.id !== id) : [...tags, tag])
  }
  if (!mayEdit && tags.length === 0) return null
  return (
    <Part
      title={t`Tags`}
      action={
        mayEdit && (
          <Popover
            label={t`Tags`}
            isFlush
            trigger={<IconButton icon={Plus} size="small" label={t`Edit tags`} />}
          >
            <Suspense>
              <Picker
                label={t`Tags`}
                empty={
                  all?.tags.length === 0 ? t`No tags yet. Create them in Settings.` : t`No matching tags.`
                }
                selectedIds={chosen}
                items={(all?.tags ?? []).map(({ id, name, color }) => ({
                  id,
                  text: name,
                  content: <Tag name={name} color={color} />,
                }))}
                onPick={toggle}
              />
            </Suspense>
          </Popover>
        )
      }
    >
      {tags.length === 0 ? (
        <p className="text-soft text-small row">
          <TagIcon size={13} aria-hidden /> {t`No tags`}
        </p>
      ) : (
        <div className="row row--wrap">
          {tags.map(({ id, name, color }) => (
            <Tag key={id} name={name} color={color} />
          ))}
        </div>
      )}
    </Part>
  )
}

const CONVERSATIONS_MAX = 20

/** The contact's latest conversations. */
export const useContactConversations = (contactId: string) => {
  const { api } = useSession()
  return useQuery({
    queryKey: keys.contactConversations(api.workspaceId, contactId),
    queryFn: ({ signal }) =>
      api.get<{ conversations: ConversationRow[] }>(
        '/conversations',
        { contactId, limit: CONVERSATIONS_MAX },
        signal,
      ),
  })
}

const FLOW_TONES = { running: 'accent', completed: 'ok', failed: 'danger', cancelled: 'plain' } as const

export const Flows = ({ flows }: { flows: Profile['flows'] }) =>
  flows.length === 0 ? null : (
    <Part title={t`Flows`}>
      <ul className="stack stack--tight">
        {flows.map((flow) => (
          <li key={flow.runId} className="row text-small">
            <Workflow size={14} aria-hidden />
            <bdi className="grow truncate">{flow.flowName}</bdi>
            <Badge tone={FLOW_TONES[flow.status]}>{flow.status}</Badge>
            <time className="text-soft" dateTime={flow.startedAt} title={fullMoment(flow.startedAt)}>
              {shortMoment(flow.startedAt)}
            </time>
          </li>
        ))}
      </ul>
    </Part>
  )
