// One contact: profile, conversations and notes.
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { MessageSquare, Pencil } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { ApiError } from '../../state/api.ts'
import { useCommands } from '../../state/commands.ts'
import { dateOf, fullMoment } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useSession } from '../../state/session.tsx'
import type { Profile } from '../../state/types.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Avatar } from '../../ui/badge.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { channelName } from '../../ui/channel-name.ts'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Fact, Facts, Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { AddToGroup } from './add-to-group.tsx'
import { Addresses } from './addresses.tsx'
import { ContactConversations } from './contact-conversations.tsx'
import { CustomFields } from './contact-fields.tsx'
import { ContactNotes } from './contact-notes.tsx'
import { countryOf, Flows, None, Part, Tags, useContactConversations } from './contact-parts.tsx'
import { VisitorBlock } from './visitor-block.tsx'

const DownloadData = lazy(() => import('./download-data.tsx'))
const EraseContact = lazy(() => import('./erase-contact.tsx'))
const LastVisit = lazy(() => import('./visit.tsx'))
const Merges = lazy(() => import('./merges.tsx'))
const RenameContact = lazy(() => import('./rename-contact.tsx'))

const back = <BackLink to="/contacts">{t`Contacts`}</BackLink>

export const Contact = () => {
  const { contactId } = useParams({ from: '/signed/contacts/$contactId' })
  const { api } = useSession()
  const { data, error, refetch } = useQuery({
    queryKey: keys.contact(api.workspaceId, contactId),
    queryFn: ({ signal }) => api.get<Profile>(`/contacts/${contactId}`, {}, signal),
  })
  if (data) return <Loaded key={contactId} profile={data} />
  return (
    <Page title={t`Contact`} back={back}>
      {(error as ApiError | null)?.status === 404 ? (
        <EmptyState
          title={t`Contact not found`}
          action={<ButtonLink to="/contacts">{t`All contacts`}</ButtonLink>}
        >
          {t`It may have been merged with another contact, or you don’t have access to it.`}
        </EmptyState>
      ) : error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={6} label={t`Loading contact`} />
      )}
    </Page>
  )
}

const Loaded = ({ profile: { contact, notes, flows } }: { profile: Profile }) => {
  const { can, isAdmin } = useSession()
  const mayEdit = can('manage_contacts')
  const [isRenaming, setRenaming] = useState(false)
  const [isErasing, setErasing] = useState(false)
  const conversations = useContactConversations(contact.id)
  const latest = conversations.data?.conversations[0]
  useCommands(
    mayEdit
      ? [
          {
            id: 'rename contact',
            label: t`Rename contact`,
            group: t`Contact`,
            keys: 'r',
            icon: Pencil,
            run: () => setRenaming(true),
          },
        ]
      : [],
  )
  return (
    <Page
      back={back}
      title={
        <span className="row">
          <Avatar name={contact.name} seed={contact.id} url={contact.avatarUrl} size="large" />
          <bdi className="title-text">{contact.name}</bdi>
        </span>
      }
      actions={
        <>
          {mayEdit && (
            <Button icon={Pencil} onClick={() => setRenaming(true)}>
              {t`Rename`}
            </Button>
          )}
          {can('manage_groups') && <AddToGroup contactIds={[contact.id]} />}
          {can('see_all_conversations') && (contact.email || contact.phone) && (
            <ButtonLink
              icon={Pencil}
              to="/new-conversation"
              search={{
                ...(contact.email && { email: contact.email }),
                ...(contact.phone && { phone: contact.phone }),
                name: contact.name,
              }}
            >
              {t`New conversation`}
            </ButtonLink>
          )}
          {latest && (
            <ButtonLink
              variant="primary"
              icon={MessageSquare}
              to="/inbox/$view/$conversationId"
              params={{ view: 'all', conversationId: latest.id }}
            >
              {t`Open in inbox`}
            </ButtonLink>
          )}
        </>
      }
    >
      <div className="split">
        <div className="stack stack--loose">
          <ContactConversations conversations={conversations} />
          <ContactNotes contactId={contact.id} notes={notes} conversationId={latest?.id} />
        </div>
        <div className="side-box">
          <Part title={t`Details`}>
            <Facts>
              <Addresses contact={contact} mayEdit={mayEdit} />
              {contact.countryIso && <Fact name={t`Country`}>{countryOf(contact.countryIso)}</Fact>}
              <Fact name={t`Channels`}>
                {contact.channels.length === 0 ? <None /> : contact.channels.map(channelName).join(', ')}
              </Fact>
              <Fact name={t`First contact`}>
                <time dateTime={contact.firstContactAt} title={fullMoment(contact.firstContactAt)}>
                  {dateOf(contact.firstContactAt)}
                </time>
              </Fact>
              <Fact name={t`Conversations`}>
                {contact.conversationCount}
                {contact.openCount > 0 && t` (${contact.openCount} open)`}
              </Fact>
            </Facts>
          </Part>
          {contact.channels.includes('web') && (
            <Suspense>
              <LastVisit contactId={contact.id} />
            </Suspense>
          )}
          <Tags contactId={contact.id} mayEdit={mayEdit} />
          <CustomFields contactId={contact.id} fields={contact.customFields} mayEdit={mayEdit} />
          <Flows flows={flows} />
          {mayEdit && (
            <Suspense>
              <Merges contactId={contact.id} />
            </Suspense>
          )}
          {mayEdit && contact.channels.includes('web') && <VisitorBlock contactId={contact.id} />}
          {isAdmin && (
            <Part title={t`Personal data`}>
              <div className="row row--wrap">
                <Suspense>
                  <DownloadData contactId={contact.id} />
                </Suspense>
                <Button size="small" onClick={() => setErasing(true)}>
                  {t`Delete contact`}
                </Button>
              </div>
            </Part>
          )}
        </div>
      </div>
      <Suspense>
        {isErasing && <EraseContact contact={contact} onClose={() => setErasing(false)} />}
        {isRenaming && <RenameContact contact={contact} onClose={() => setRenaming(false)} />}
      </Suspense>
    </Page>
  )
}
