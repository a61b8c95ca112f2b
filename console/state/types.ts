// The shapes on the wire. What /api/v1 declares comes from the server's schemas; the rest is the console's own.

import type { Static } from 'typebox'
import type { Agent, Member } from '../../server/resources/agents/schema.ts'
import type { ShownChannel } from '../../server/resources/channel-accounts/schema.ts'
import type { ContactProfile } from '../../server/resources/contacts/schema.ts'
import type { Conversation, Message } from '../../server/resources/conversations/schema.ts'
import type { Note } from '../../server/resources/notes/schema.ts'
import type { Role } from '../../server/resources/roles/schema.ts'
import type { ChannelEnum } from '../../server/resources/schema.ts'
import type { Tag } from '../../server/resources/tags/schema.ts'
import type { RichTemplate } from '../../server/resources/templates/schema.ts'
import type { ApiToken } from '../../server/resources/tokens/schema.ts'

export type { Agent, ApiToken, Conversation, Member, Message, RichTemplate, Role, ShownChannel, Tag }
export type Channel = ChannelEnum
export type Profile = Static<typeof ContactProfile>
export type ThreadNote = Static<typeof Note>
export type Attachment = Message['attachments'][number] & { state?: string; thumbnailUrl?: string | null }

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
