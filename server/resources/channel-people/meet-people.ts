import { type Ctx, inTransaction } from '../../ctx.ts'
import { addJobs } from '../../jobs/add-job.ts'
import { followName } from '../contacts/follow-name.ts'
import { type Met, upsertPeople } from './queries.ts'

/** A profile is asked for again when it is older than this and its owner writes. */
const PROFILE_KEPT_MS = 7 * 24 * 3_600_000

/**
 * Notes who wrote on an account: a new name of theirs is followed, and their profile asked for by a job where the
 * provider tells it. In the transaction that stores their messages.
 */
export const meetPeople = (
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
        await followName(ctx, { contactId, from: previousName, to: name })
      if (isDue && hasProfile) jobs.push({ workspaceId: ctx.workspaceId, ...who })
    }
    await addJobs(ctx, 'fetch_profile', jobs)
  })
