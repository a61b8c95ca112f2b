import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { renameFromProvider } from '../contacts/rename-from-provider.ts'
import { type ChannelPerson, upsertPeople } from './queries.ts'

/** A profile is fetched again if it is older than this when its owner writes. */
const PROFILE_KEPT_MS = 7 * 24 * 3_600_000

/**
 * Records who wrote on an account, stores a new name, and queues a profile fetch if the provider offers profiles. Call
 * in the transaction that stores their messages.
 */
export const saveChannelPeople = (
  ctx: Ctx,
  people: readonly (ChannelPerson & { contactId: string; hasProfile: boolean })[],
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const keyOf = ({
      channelAccountId,
      externalId,
    }: Pick<ChannelPerson, 'channelAccountId' | 'externalId'>) => `${channelAccountId}\n${externalId}`
    const latest = new Map<string, (typeof people)[number]>()
    // The last name of each counts.
    for (const person of people)
      latest.set(keyOf(person), { ...person, name: person.name ?? latest.get(keyOf(person))?.name ?? null })
    const profileBefore = new Date(ctx.now().getTime() - PROFILE_KEPT_MS)
    const rows = [...latest.values()].map(({ channelAccountId, externalId, name }) => ({
      channelAccountId,
      externalId,
      name,
    }))
    const changed = await upsertPeople(ctx, rows, profileBefore)
    const jobs: { workspaceId: string; channelAccountId: string; externalId: string }[] = []
    for (const { isDue, previousName, ...who } of changed) {
      const { name, contactId, hasProfile } = latest.get(keyOf(who))!
      if (previousName !== null && name !== null && name !== previousName)
        await renameFromProvider(ctx, { contactId, from: previousName, to: name })
      if (isDue && hasProfile) jobs.push({ workspaceId: ctx.workspaceId, ...who })
    }
    await addJob(ctx, 'fetch_profile', jobs)
  })
