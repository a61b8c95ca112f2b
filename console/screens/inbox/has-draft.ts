// Where drafts are stored, and whether there is one: all that the list has to know of them.
import type { Signed } from '../../state/session.tsx'

export const DRAFT_PREFIX = 'foyer.draft.'

export type Writer = Pick<Signed, 'session' | 'workspace'>

export const nameOf = ({ session, workspace }: Writer, conversationId: string): string =>
  `${DRAFT_PREFIX}${workspace.id}.${session.account.id}.${conversationId}`

export const hasDraft = (writer: Writer, conversationId: string): boolean =>
  localStorage.getItem(nameOf(writer, conversationId)) !== null
