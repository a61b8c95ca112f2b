// The shapes on the wire. What /api/v1 declares comes from the server's schemas; the rest is the console's own.

import type { Static } from 'typebox'
import type { Agent, Member } from '../../server/resources/agents/schema.ts'
import type {
  Audience,
  AudienceFilter,
  AudiencePreview,
  Broadcast,
  RecipientList,
} from '../../server/resources/broadcasts/schema.ts'
import type { ShownChannel } from '../../server/resources/channel-accounts/schema.ts'
import type {
  GroupMembers,
  GroupSummary,
  MembersAdded,
} from '../../server/resources/contact-groups/schema.ts'
import type { ContactProfile, ContactRow, ContactsPage } from '../../server/resources/contacts/schema.ts'
import type { InboxMessage } from '../../server/resources/conversations/inbox-schema.ts'
import type { Message as ApiMessage, Conversation } from '../../server/resources/conversations/schema.ts'
import type { Note } from '../../server/resources/notes/schema.ts'
import type { Role } from '../../server/resources/roles/schema.ts'
import type { ChannelEnum } from '../../server/resources/schema.ts'
import type { Tag } from '../../server/resources/tags/schema.ts'
import type { RichTemplate } from '../../server/resources/templates/schema.ts'
import type { ApiToken } from '../../server/resources/tokens/schema.ts'

export type {
  Agent,
  ApiToken,
  Audience,
  AudienceFilter,
  Broadcast,
  ContactRow,
  Conversation,
  GroupMembers,
  GroupSummary,
  Member,
  MembersAdded,
  RichTemplate,
  Role,
  ShownChannel,
  Tag,
}
export type Channel = ChannelEnum
export type Profile = Static<typeof ContactProfile>
export type Directory = Static<typeof ContactsPage>
export type Preview = Static<typeof AudiencePreview>
export type Recipient = Static<typeof RecipientList>['recipients'][number]
export type ThreadNote = Static<typeof Note>
/** What the API answers a send with says nothing of the states of files: what people send is there. */
export type Message = ApiMessage | InboxMessage
export type Attachment = ApiMessage['attachments'][number] & {
  state?: InboxMessage['attachments'][number]['state']
}

export type Permission =
  | 'see_all_conversations'
  | 'assign_conversations'
  | 'manage_contacts'
  | 'manage_groups'
  | 'manage_tags'
  | 'send_broadcasts'

export type Workspace = {
  id: string
  name: string
  role: 'admin' | 'agent'
  roleName: string
  permissions: Permission[]
}

export type Session = {
  account: { id: string; email: string; nickname: string }
  workspaces: Workspace[]
  isDemo: boolean
  sandboxUrl: string | null
}

export type ConversationRow = Conversation & { unreadCount: number; channelAccountId?: string | null }

export type ConversationDetails = {
  conversation: ConversationRow & {
    contact: ConversationRow['contact'] & { avatarUrl: string | null }
  }
  replyWindow: { closesAt: string | null; isOpen: boolean } | null
  canReply: boolean
  cannotReplyReason: string | null
  channelAccount: { id: string; name: string; address: string | null }
  subject: string | null
  attachmentsAllowed: { max: number; bytesMax: number } | null
}

export type ConversationCounts = { mine: number; unassigned: number; open: number; unread: number }

export type TimelineEntry = { kind: 'message'; message: Message } | { kind: 'note'; note: ThreadNote }

export type Presence = { id: string; nickname: string; state: 'viewing' | 'typing' }
