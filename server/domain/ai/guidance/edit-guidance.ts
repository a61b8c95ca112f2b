// What the AI agent is told, as people edit it. A draft may be unfinished; publishing checks it and stores a version,
// which never changes.
import { type Ctx, inTransaction } from '../../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../../platform/errors.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import { lockWorkspace } from '../../workspaces/queries.ts'
import { DEFAULT_GUIDANCE, FOR_ALL } from './default-guidance.ts'
import { findDraft, findVersion, insertVersion, listVersions, saveDraftRow } from './queries.ts'
import { listProblems } from './review-guidance.ts'
import type { DraftBody, DraftSaved, Guidance, GuidanceAnswer, VersionAnswer } from './schema.ts'

export const getGuidance = async (ctx: Ctx): Promise<GuidanceAnswer> => {
  const found = await findDraft(ctx)
  if (!found)
    return {
      draft: DEFAULT_GUIDANCE,
      revision: 0,
      updatedBy: null,
      updatedAt: null,
      liveVersion: null,
      hasChanges: false,
      versions: [],
    }
  return { ...found, versions: found.liveVersion === null ? [] : await listVersions(ctx) }
}

/** Saves a draft if it is based on the latest one. Throws GUIDANCE_CHANGED if somebody else saved meanwhile. */
export const saveDraft = (ctx: Ctx, { guidance, revision }: DraftBody): Promise<DraftSaved> =>
  inTransaction(ctx, async (ctx) => {
    const saved = await saveDraftRow(ctx, knownOf(guidance), revision)
    if (!saved) throw new ApiError('GUIDANCE_CHANGED')
    return saved
  })

/** Without fields that we don't know, since it is stored as it is. */
const knownOf = (given: Guidance): Guidance => ({
  ...pick(given, DEFAULT_GUIDANCE),
  rules: given.rules.map(({ when, action, text, only }) => ({
    when,
    action,
    text,
    only: pick(only, FOR_ALL),
  })),
})

const pick = <T extends object>(given: T, like: T): T =>
  // The keys of `like` are those of T.
  Object.fromEntries(Object.keys(like).map((key) => [key, given[key as keyof T]])) as T

/**
 * Makes the draft the live version. Of two publications at once, one succeeds. Throws GUIDANCE_CHANGED,
 * GUIDANCE_UNCHANGED, and VALIDATION_ERROR for unfinished rules and for what no longer exists.
 */
export const publishGuidance = (ctx: Ctx, { revision }: { revision: number }): Promise<GuidanceAnswer> =>
  inTransaction(ctx, async (ctx) => {
    await lockWorkspace(ctx)
    const found = await findDraft(ctx)
    if ((found?.revision ?? 0) !== revision) throw new ApiError('GUIDANCE_CHANGED')
    if (!found?.hasChanges) throw new ApiError('GUIDANCE_UNCHANGED')
    const problems = await listProblems(ctx, found.draft)
    if (problems.length > 0) throw invalid(...problems)
    const version = (found.liveVersion ?? 0) + 1
    await insertVersion(ctx, { version, guidance: found.draft })
    await recordAudit(ctx, {
      action: 'ai_guidance.published',
      changes: { version: { from: found.liveVersion, to: version } },
    })
    return getGuidance(ctx)
  })

/** Throws GUIDANCE_VERSION_NOT_FOUND. */
export const getVersion = async (ctx: Ctx, version: string): Promise<VersionAnswer> => {
  const number = numberOf(version)
  const guidance = await findVersion(ctx, number)
  if (!guidance) throw new ApiError('GUIDANCE_VERSION_NOT_FOUND')
  return { version: number, guidance }
}

/** Makes an old version the draft; it is live only after publishing. Throws GUIDANCE_VERSION_NOT_FOUND. */
export const restoreVersion = (ctx: Ctx, version: string): Promise<GuidanceAnswer> =>
  inTransaction(ctx, async (ctx) => {
    const { guidance } = await getVersion(ctx, version)
    await saveDraftRow(ctx, guidance, null)
    return getGuidance(ctx)
  })

/** Anything else than a number is that of no version. */
const numberOf = (version: string): number => (/^[1-9]\d{0,8}$/.test(version) ? Number(version) : 0)
