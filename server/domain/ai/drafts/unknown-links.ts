// Whether a text that a program wrote leads customers where the workspace never led them.
import { sql } from 'kysely'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { linksIn } from '../checks/links.ts'

const KNOWN_FOR_MS = 90 * 86_400_000
/** A reply with more is left to a person. */
const HOSTS_MAX = 20

/**
 * Known are our own address, the websites that knowledge is read from, and the hosts that people and flows of the
 * workspace wrote in the last 90 days: what programs wrote vouches for nothing.
 */
export const hasUnknownLinks = async (
  { db, workspaceId, now, publicUrl }: Ctx,
  text: string,
): Promise<boolean> => {
  // An address or a number behind mailto: or tel: isn't a link to a host; whose it is, is checked as such.
  const links = linksIn(text).filter((link) => !/^(mailto|tel|sms):/.test(link))
  const hosts = [...new Set(links.map((link) => link.split(/[/?#]/, 1)[0]!.toLowerCase()))].filter(
    (host) => host !== new URL(publicUrl).host,
  )
  if (hosts.length > HOSTS_MAX || links.some((link) => link.includes('://') || /^\w+:\D/.test(link)))
    return true
  if (hosts.length === 0) return false
  const patterns = hosts.map(
    (host) => `(^|[^a-z0-9.-])(www\\.)?${host.replace(/[^\w-]/g, '\\$&')}\\.?($|[^a-z0-9.:-])`,
  )
  const since = new Date(now().getTime() - KNOWN_FOR_MS)
  const { rows } = await sql<{ isUnknown: boolean }>`
    select exists (
      select from unnest(${patterns}::text[]) h (pattern)
      where not exists (
          select from messages m
          where m.workspace_id = ${workspaceId} and m.sender_type in ('agent', 'automation')
            and m.sender_id not like 'api:%' and m.created_at >= ${since} and m.body ~* h.pattern)
        and not exists (
          select from knowledge_sources s where s.workspace_id = ${workspaceId} and s.url ~* h.pattern)
    ) as "isUnknown"`.execute(db)
  return rows[0]!.isUnknown
}
