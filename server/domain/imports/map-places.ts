// Which of our people and channels those of an archive are.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { type Archive, ArchiveProblem } from './archive-folder.ts'
import { isObject } from './read-row.ts'

/** Members by the email that they have in the source. */
export const mapAgents = async (ctx: Ctx, archive: Archive): Promise<Map<string, string>> => {
  const { rows } = await sql<{ id: string; email: string }>`
    select a.id, lower(a.email) as email from memberships m join accounts a on a.id = m.account_id
    where m.workspace_id = ${ctx.workspaceId} and m.removed_at is null`.execute(ctx.db)
  const members = new Map(rows.map(({ id, email }) => [email, id]))
  const agents = new Map<string, string>()
  for await (const { id, email } of readObjects(archive, 'agents')) {
    const member = typeof email === 'string' ? members.get(email.toLowerCase()) : undefined
    if (typeof id === 'string' && member !== undefined) agents.set(id, member)
  }
  return agents
}

type Channel = { id: string; channel: ChannelName }

/**
 * A source's channel is the one that it was given, or ours of the same kind with its address, or our only one of its
 * kind. Throws ArchiveProblem for one that is none.
 */
export const mapChannels = async (
  ctx: Ctx,
  archive: Archive,
  given: ReadonlyMap<string, string>,
): Promise<Map<string, Channel>> => {
  const { rows: ours } = await sql<Channel & { address: string | null }>`
    select id, channel, address from channel_accounts where workspace_id = ${ctx.workspaceId} order by id`.execute(
    ctx.db,
  )
  const channels = new Map<string, Channel>()
  const missing: string[] = []
  for await (const { id, channel, address, name } of readObjects(archive, 'channels')) {
    if (typeof id !== 'string') continue
    const wanted = given.get(id)
    const ofKind = ours.filter((one) => one.channel === channel)
    const found =
      wanted === undefined
        ? (ofKind.find((one) => one.address !== null && one.address === address) ??
          (ofKind.length === 1 ? ofKind[0] : undefined))
        : ours.find((one) => one.id === wanted)
    if (found) channels.set(id, found)
    else missing.push(`${id} (${channel}, ${address ?? name ?? 'no name'})`)
  }
  if (missing.length > 0)
    throw new ArchiveProblem(
      `no channel here stands for ${missing.join(', ')}. Connect it, or name one of yours: --channel THEIRS=OURS`,
    )
  return channels
}

async function* readObjects(
  archive: Archive,
  resource: 'agents' | 'channels',
): AsyncGenerator<Record<string, unknown>> {
  for await (const lines of archive.lines(resource))
    for (const line of lines) {
      if (!('text' in line)) continue
      try {
        const value: unknown = JSON.parse(line.text)
        if (isObject(value)) yield value
      } catch {
        throw new ArchiveProblem(`line ${line.number} of ${resource} isn’t JSON`)
      }
    }
}
