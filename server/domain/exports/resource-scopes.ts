// An export shows nothing that its token could not read otherwise.
import type { Actor } from '../../platform/ctx/actor.ts'
import { requireAllChannels, requireScope } from '../../platform/ctx/scopes.ts'
import type { ArchiveResource, Scope } from '../../platform/db/tables.ts'

const READ_SCOPES: Record<ArchiveResource, Scope> = {
  workspace: 'conversations:read',
  agents: 'agents:read',
  channels: 'conversations:read',
  tags: 'contacts:read',
  contactGroups: 'groups:read',
  contacts: 'contacts:read',
  conversations: 'conversations:read',
  messages: 'conversations:read',
  notes: 'contacts:read',
  attachments: 'conversations:read',
}

/** Throws INSUFFICIENT_SCOPE unless the actor may read all of it, on all channels. */
export const requireReadable = (actor: Actor, resources: readonly ArchiveResource[]): void => {
  requireAllChannels(actor)
  for (const resource of resources) requireScope(actor, READ_SCOPES[resource])
}
