// The customer's details next to the conversation: profile, fields and earlier conversations.

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { dateOf, fullMoment, shortMoment } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useSession } from '../../state/session.tsx'
import type { ConversationDetails, Profile } from '../../state/types.ts'
import { Avatar, Badge, ChannelIcon } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { channelName } from '../../ui/channel-name.ts'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Fact, Facts } from '../../ui/page.tsx'
import { SmallNote } from '../../ui/small-note.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { Addresses } from '../contacts/addresses.tsx'
import { CustomFields, EditableName } from '../contacts/contact-fields.tsx'
import { countryOf, Flows, Part, Tags, useContactConversations } from '../contacts/contact-parts.tsx'
import { VisitorBlock } from '../contacts/visitor-block.tsx'

const LastVisit = lazy(() => import('../contacts/visit.tsx'))

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
      <IconButton icon={X} label={t`Close`} className="customer__close" onClick={onClose} />
      <header className="customer__head">
        <Avatar name={contact.name} seed={contact.id} url={contact.avatarUrl} size="large" />
        <EditableName contactId={contact.id} name={known?.name ?? contact.name} mayEdit={mayEdit} />
        <div className="row">
          {(known?.channels ?? [details.conversation.channel]).map((channel) => (
            <ChannelIcon key={channel} channel={channel} />
          ))}
        </div>
        <Link to="/contacts/$contactId" params={{ contactId: contact.id }} className="text-small">
          {t`View contact`}
        </Link>
      </header>
      {profile.error && !known ? (
        <LoadProblem error={profile.error} onRetry={() => void profile.refetch()} />
      ) : !known ? (
        <Skeleton lines={5} label={t`Loading customer`} />
      ) : (
        <>
          <Part title={t`Details`}>
            <Facts>
              <Addresses contact={known} mayEdit={mayEdit} />
              {known.countryIso && <Fact name={t`Country`}>{countryOf(known.countryIso)}</Fact>}
              <Fact name={t`First contact`}>
                <span title={fullMoment(known.firstContactAt)}>{dateOf(known.firstContactAt)}</span>
              </Fact>
              <Fact name={t`Conversations`}>
                {known.conversationCount}
                {known.openCount > 0 && t` (${known.openCount} open)`}
              </Fact>
            </Facts>
          </Part>
          {known.channels.includes('web') && (
            <Suspense>
              <LastVisit contactId={contact.id} />
            </Suspense>
          )}
          <Tags contactId={contact.id} mayEdit={mayEdit} />
          <CustomFields contactId={contact.id} fields={known.customFields} mayEdit={mayEdit} />
          <Notes notes={profile.data?.notes ?? []} />
          <Earlier contactId={contact.id} exceptId={id} />
          <Flows flows={profile.data?.flows ?? []} />
          {mayEdit && known.channels.includes('web') && <VisitorBlock contactId={contact.id} />}
        </>
      )}
    </div>
  )
}
export default ContactPanel

const Notes = ({ notes }: { notes: Profile['notes'] }) => {
  const [areAllShown, setAllShown] = useState(false)
  if (notes.length === 0) return null
  const shown = areAllShown ? notes : notes.slice(0, NOTES_SHOWN)
  return (
    <Part title={t`Notes`}>
      <ul className="stack stack--tight">
        {shown.map((note) => (
          <SmallNote key={note.id} note={note} />
        ))}
      </ul>
      {notes.length > NOTES_SHOWN && (
        <Button size="small" variant="ghost" onClick={() => setAllShown(!areAllShown)}>
          {areAllShown ? t`Show fewer` : t`Show all ${notes.length}`}
        </Button>
      )}
    </Part>
  )
}

const Earlier = ({ contactId, exceptId }: { contactId: string; exceptId: string }) => {
  const { data } = useContactConversations(contactId)
  const others = (data?.conversations ?? []).filter(({ id }) => id !== exceptId)
  if (others.length === 0) return null
  return (
    <Part title={t`Other conversations`}>
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
              {conversation.status === 'open' && <Badge tone="ok">{t`Open`}</Badge>}
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
