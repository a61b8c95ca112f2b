import type { Ctx } from '../../ctx.ts'
import { decodeCursor, encodeCursor, type Listing, PAGE_MAX } from '../../http/pagination.ts'
import { confinedTo } from '../roles/permissions.ts'
import { CONTACT_REF_JSON, ID_CEILING, runText, textJson, timeJson } from './conversation-rows.ts'

export type Direction = 'inbound' | 'outbound' | 'all'

/** Each is one partial index; all is the merge of the two, so that system entries are never even read. */
const BRANCHES = {
  inbound: ["sender_type = 'customer'"],
  outbound: ["sender_type in ('agent', 'automation')"],
  all: ["sender_type = 'customer'", "sender_type in ('agent', 'automation')"],
} satisfies Record<Direction, string[]>

/** Cast for the reason given in conversation-rows.ts. */
const COLUMNS = 'id::text, conversation_id::text, body, sender_type, status, created_at::timestamptz'

/** The messages of a direction in the whole workspace: each branch is a range of an index. */
const inWorkspace = (direction: Direction): string => {
  const branches = BRANCHES[direction].map(
    (condition) =>
      `(select ${COLUMNS} from messages where workspace_id = $1 and ${condition} and id < $2
        order by id desc limit ${PAGE_MAX + 1})`,
  )
  return `select * from (${branches.join('\n union all ')}) w order by id desc limit ${PAGE_MAX + 1}`
}

/** Those in the conversations of the agent $4, read conversation by conversation. */
const inOwnConversations = (direction: Direction): string => `
  select m.* from conversations v cross join lateral (
    select ${COLUMNS} from messages m
    where m.workspace_id = $1 and m.conversation_id = v.id and (${BRANCHES[direction].join(' or ')}) and m.id < $2
    order by m.id desc limit ${PAGE_MAX + 1}
  ) m
  where v.workspace_id = $1 and v.agent_id = $4
  order by m.id desc limit ${PAGE_MAX + 1}`

/** $1 the workspace, $2 the id before which the page begins, $3 how many. */
const pageOf = (messages: string): string => `
select coalesce(string_agg(p.json, ',' order by p.n) filter (where p.n <= $3), '') as items,
  count(*)::integer as found, max(p.id) filter (where p.n = $3) as "lastId"
from (
  select row_number() over (order by m.id desc) as n, m.id,
    '{"id":"' || m.id || '","conversationId":"' || m.conversation_id || '","channel":"' || c.channel
    || '","body":' || ${textJson('m.body')} || ',"senderType":"' || m.sender_type || '","status":"' || m.status
    || '","createdAt":' || ${timeJson('m.created_at')} || ',"contact":' || ${CONTACT_REF_JSON} || '}' as json
  from (
    select * from (${messages}) l limit $3 + 1
  ) m
  join conversations c on c.workspace_id = $1 and c.id = m.conversation_id
  join contacts k on k.workspace_id = $1 and k.id = c.contact_id
) p`

const textsOf = (read: (direction: Direction) => string) =>
  ({
    inbound: pageOf(read('inbound')),
    outbound: pageOf(read('outbound')),
    all: pageOf(read('all')),
  }) satisfies Record<Direction, string>

export const MESSAGE_LIST_TEXTS = textsOf(inWorkspace)
const OWN_MESSAGE_LIST_TEXTS = textsOf(inOwnConversations)

type PageRow = { items: string; found: number; lastId: string | null }

/**
 * A page of the workspace's messages, newest first, as the JSON text of the answer: {messages, nextCursor}. Whoever is
 * confined to their own conversations gets those in them. Throws VALIDATION_ERROR for a cursor of another listing.
 */
export const listMessages = async (
  { db, workspaceId, actor }: Ctx,
  { direction, cursor, limit }: { direction: Direction; cursor?: string; limit: number },
): Promise<string> => {
  const listing: Listing = ['listMessages', workspaceId, direction]
  const before = cursor === undefined ? ID_CEILING : decodeCursor(listing, cursor).id
  const owner = confinedTo(actor)
  const [row] =
    owner === null
      ? await runText<PageRow>(db, MESSAGE_LIST_TEXTS[direction], [workspaceId, before, limit])
      : await runText<PageRow>(db, OWN_MESSAGE_LIST_TEXTS[direction], [workspaceId, before, limit, owner])
  const next = row!.found > limit ? `"${encodeCursor(listing, { at: null, id: row!.lastId! })}"` : 'null'
  return `{"messages":[${row!.items}],"nextCursor":${next}}`
}
