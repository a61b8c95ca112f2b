import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { renameFromProvider } from '../contacts/rename-from-provider.ts'
import { type Met, upsertPeople } from './queries.ts'

/** A profile is fetched again if it is older than this when its owner writes. */
const PROFILE_KEPT_MS = 7 * 24 * 3_600_000

/**
 * Notes who wrote on an account: follows a new name, and queues a profile fetch if the provider offers profiles. Call
 * in the transaction that stores their messages.
 */
export const saveChannelPeople = (
  ctx: Ctx,
  people: readonly (Met & { contactId: string; hasProfile: boolean })[],
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const keyOf = ({ channelAccountId, externalId }: Pick<Met, 'channelAccountId' | 'externalId'>) =>
      `${channelAccountId}\n${externalId}`
    const met = new Map<string, (typeof people)[number]>()
    // The last name of each counts.
    for (const person of people)
      met.set(keyOf(person), { ...person, name: person.name ?? met.get(keyOf(person))?.name ?? null })
    const profileBefore = new Date(ctx.now().getTime() - PROFILE_KEPT_MS)
    const rows = [...met.values()].map(({ channelAccountId, externalId, name }) => ({
      channelAccountId,
      externalId,
      name,
    }))
    const noted = await upsertPeople(ctx, rows, profileBefore)
    const jobs: { workspaceId: string; channelAccountId: string; externalId: string }[] = []
    for (const { isDue, previousName, ...who } of noted) {
      const { name, contactId, hasProfile } = met.get(keyOf(who))!
      if (previousName !== null && name !== null && name !== previousName)
        await renameFromProvider(ctx, { contactId, from: previousName, to: name })
      if (isDue && hasProfile) jobs.push({ workspaceId: ctx.workspaceId, ...who })
    }
    await addJob(ctx, 'fetch_profile', jobs)
  })
