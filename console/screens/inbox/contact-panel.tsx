// The customer beside the conversation: who they are, what is known, what was before.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, Tag as TagIcon, Workflow, X } from 'lucide-react'
import { useState } from 'react'
import { agoOf, dateOf, fullMoment, shortMoment } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useSession } from '../../state/session.tsx'
import type { ConversationDetails, ConversationRow, Profile, Tag as TagType } from '../../state/types.ts'
import { Avatar, Badge, ChannelIcon, channelName, Tag } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Fact, Facts } from '../../ui/page.tsx'
import { Picker } from '../../ui/picker.tsx'
import { Popover } from '../../ui/popover.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toastError } from '../../ui/toast.tsx'
import { CustomFields, EditableName } from './contact-fields.tsx'
import { LinkedText } from './linked-text.tsx'

const EARLIER_MAX = 20
const NOTES_SHOWN = 3

const ContactPanel = ({ details, onClose }: { details: ConversationDetails; onClose: () => void }) => {
  const { api, can } = useSession()
  const { contact, id } = details.conversation
  const profile = useQuery({
    queryKey: keys.contact(api.workspaceId, contact.id),
    queryFn: ({ signal }) => api.get<Profile>(`/contacts/${contact.id}`, {}, signal),
  })
  const known = profile.data?.contact
  const mayEdit = can('manage_contacts')
  return (
    <div className="customer__inside">
      <IconButton icon={X} label="Close" className="customer__close" onClick={onClose} />
      <header className="customer__head">
        <Avatar name={contact.name} seed={contact.id} url={contact.avatarUrl} size="large" />
        <EditableName contactId={contact.id} name={known?.name ?? contact.name} mayEdit={mayEdit} />
        <div className="row">
          {(known?.channels ?? [details.conversation.channel]).map((channel) => (
            <ChannelIcon key={channel} channel={channel} />
          ))}
        </div>
      </header>
      {profile.error && !known ? (
        <LoadProblem error={profile.error} onRetry={() => void profile.refetch()} />
      ) : !known ? (
        <Skeleton lines={5} label="Loading the customer" />
      ) : (
        <>
          <Part title="Details">
            <Facts>
              <Fact name="Email">{known.email ?? <None />}</Fact>
              <Fact name="Phone">
                {known.phone ? <span className="numeric">{known.phone}</span> : <None />}
              </Fact>
              {known.countryIso && <Fact name="Country">{countryOf(known.countryIso)}</Fact>}
              <Fact name="First contact">
                <span title={fullMoment(known.firstContactAt)}>{dateOf(known.firstContactAt)}</span>
              </Fact>
              <Fact name="Conversations">
                {known.conversationCount}
                {known.openCount > 0 && ` (${known.openCount} open)`}
              </Fact>
            </Facts>
          </Part>
          <Tags contactId={contact.id} mayEdit={mayEdit} />
          <CustomFields contactId={contact.id} fields={known.customFields} mayEdit={mayEdit} />
          <Notes notes={profile.data?.notes ?? []} />
          <Earlier contactId={contact.id} exceptId={id} />
          <Flows flows={profile.data?.flows ?? []} />
        </>
      )}
    </div>
  )
}
export default ContactPanel

const None = () => <span className="text-soft">none</span>

const countries = new Intl.DisplayNames(undefined, { type: 'region' })
const countryOf = (iso: string): string => {
  try {
    return countries.of(iso) ?? iso
  } catch {
    return iso
  }
}

const Part = ({
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

const Tags = ({ contactId, mayEdit }: { contactId: string; mayEdit: boolean }) => {
  const { api } = useSession()
  const client = useQueryClient()
  const queryKey = keys.contactTags(api.workspaceId, contactId)
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.get<{ tags: TagType[] }>(`/contacts/${contactId}/tags`, {}, signal),
  })
  const { data: all } = useQuery({
    queryKey: keys.tags(api.workspaceId),
    queryFn: ({ signal }) => api.get<{ tags: TagType[] }>('/tags', {}, signal),
    enabled: mayEdit,
  })
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
      title="Tags"
      action={
        mayEdit && (
          <Popover label="Tags" isFlush trigger={<IconButton icon={Plus} size="small" label="Edit tags" />}>
            <Picker
              label="Tags"
              empty={
                all?.tags.length === 0 ? 'There are no tags yet. Make them in the settings.' : 'No such tag.'
              }
              selectedIds={chosen}
              items={(all?.tags ?? []).map(({ id, name, color }) => ({
                id,
                text: name,
                content: <Tag name={name} color={color} />,
              }))}
              onPick={toggle}
            />
          </Popover>
        )
      }
    >
      {tags.length === 0 ? (
        <p className="text-soft text-small row">
          <TagIcon size={13} aria-hidden /> No tags
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

const Notes = ({ notes }: { notes: Profile['notes'] }) => {
  const [areAllShown, setAllShown] = useState(false)
  if (notes.length === 0) return null
  const shown = areAllShown ? notes : notes.slice(0, NOTES_SHOWN)
  return (
    <Part title="Notes">
      <ul className="stack stack--tight">
        {shown.map((note) => (
          <li key={note.id} className="note note--small">
            <p className="user-text">
              <LinkedText text={note.body} />
            </p>
            <p className="note__head">
              <bdi>{note.agent.nickname}</bdi>
              <time dateTime={note.createdAt} title={fullMoment(note.createdAt)}>
                {agoOf(note.createdAt)}
              </time>
            </p>
          </li>
        ))}
      </ul>
      {notes.length > NOTES_SHOWN && (
        <Button size="small" variant="ghost" onClick={() => setAllShown(!areAllShown)}>
          {areAllShown ? 'Show fewer' : `Show all ${notes.length}`}
        </Button>
      )}
    </Part>
  )
}

const Earlier = ({ contactId, exceptId }: { contactId: string; exceptId: string }) => {
  const { api } = useSession()
  const { data } = useQuery({
    queryKey: keys.contactConversations(api.workspaceId, contactId),
    queryFn: ({ signal }) =>
      api.get<{ conversations: ConversationRow[] }>(
        '/conversations',
        { contactId, limit: EARLIER_MAX },
        signal,
      ),
  })
  const others = (data?.conversations ?? []).filter(({ id }) => id !== exceptId)
  if (others.length === 0) return null
  return (
    <Part title="Other conversations">
      <ul>
        {others.map((conversation) => (
          <li key={conversation.id}>
            <Link
              to="/inbox/$view/$conversationId"
              params={{ view: 'all', conversationId: conversation.id }}
              className="earlier"
            >
              <ChannelIcon channel={conversation.channel} />
              <span className="grow truncate">
                <bdi>
                  {conversation.subject ??
                    conversation.lastMessage?.body ??
                    channelName(conversation.channel)}
                </bdi>
              </span>
              {conversation.status === 'open' && <Badge tone="ok">Open</Badge>}
              <time className="text-soft" dateTime={conversation.updatedAt}>
                {shortMoment(conversation.updatedAt)}
              </time>
            </Link>
          </li>
        ))}
      </ul>
    </Part>
  )
}

const FLOW_TONES = { running: 'accent', completed: 'ok', failed: 'danger', cancelled: 'plain' } as const

const Flows = ({ flows }: { flows: Profile['flows'] }) =>
  flows.length === 0 ? null : (
    <Part title="Flows">
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
