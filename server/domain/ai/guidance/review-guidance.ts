import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { ErrorDetail } from '../../../platform/errors.ts'
import { findExisting, type Reference } from './queries.ts'
import type { Guidance } from './schema.ts'

/** Why a draft can't be published; `field` is the place. One statement. */
export const listProblems = async (
  ctx: Pick<Ctx, 'db' | 'workspaceId'>,
  guidance: Guidance,
): Promise<ErrorDetail[]> => [...unfinishedRules(guidance), ...(await missingReferences(ctx, guidance))]

const unfinishedRules = ({ rules }: Guidance): ErrorDetail[] =>
  rules.flatMap(({ when, action, text, only }, index) => {
    if (action !== 'handOver')
      return text === '' ? [{ field: `rules[${index}].text`, message: 'must not be empty' }] : []
    const isForAll =
      only.hours === 'always' &&
      [only.channels, only.countries, only.tagIds, only.languages].every(({ length }) => length === 0)
    return when === '' && isForAll
      ? [{ field: `rules[${index}].when`, message: 'must not be empty: the rule would hand over everything' }]
      : []
  })

const missingReferences = async (
  ctx: Pick<Ctx, 'db' | 'workspaceId'>,
  { rules, tagIds, flowIds, actionIds }: Guidance,
): Promise<ErrorDetail[]> => {
  const place = (field: string, kind: Reference['kind'], ids: readonly string[]) =>
    ids.map((id) => ({ field, kind, id }))
  const references = [
    ...place('tagIds', 'tag', tagIds),
    ...place('flowIds', 'flow', flowIds),
    ...place('actionIds', 'action', actionIds),
    ...rules.flatMap(({ only }, index) => place(`rules[${index}].only.tagIds`, 'tag', only.tagIds)),
  ]
  if (references.length === 0) return []
  const nameOf = ({ kind, id }: Reference) => `${kind} ${id}`
  const existing = new Set((await findExisting(ctx, references)).map(nameOf))
  const missing = references.filter((one) => !existing.has(nameOf(one)))
  return [...new Map(missing.map((one) => [one.field, one])).values()].map(({ field, kind }) => ({
    field,
    message: `has ${kind === 'action' ? 'an' : 'a'} ${kind} that no longer exists`,
  }))
}
