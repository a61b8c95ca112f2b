// What a workspace has of what a definition needs: for lint, for tests, and for imports.
import type { TemplateDefinition } from '../../../channels/channel.ts'
import type { ExistingFacts } from '../../../flow-engine/contract.ts'
import type { ChannelFacts, LintFacts } from '../../../flow-engine/lint-contract.ts'
import type { Reference, ReferenceKind } from '../../../flow-engine/references.ts'
import type { WorldFacts } from '../../../flow-engine/test-world.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { onlineSince } from '../accounts/online.ts'
import { listBusinessHours } from '../business-hours/queries.ts'
import { findWorkspace } from '../workspaces/queries.ts'
import { channelFactsOf } from './channel-facts.ts'
import { listChannels, listOtherFlows, listReferenced, type Referenced } from './reference-queries.ts'

/** What the references of one definition, or of many, refer to and still exists. One statement. */
export const loadReferenced = (
  ctx: Ctx,
  references: readonly Pick<Reference, 'kind' | 'id'>[],
  names: readonly { kind: ReferenceKind; name: string }[] = [],
): Promise<Referenced[]> =>
  listReferenced(
    ctx,
    [
      ...references.map(({ kind, id }) => ({ kind, id, name: null })),
      ...names.map(({ kind, name }) => ({ kind, id: null, name })),
    ],
    onlineSince(ctx.now()),
  )

/** The facts for `lintDefinition`, in three statements. */
export const loadLintFacts = async (
  ctx: Ctx,
  flow: { id: string; position: number },
  references: readonly Reference[],
  referenced: readonly Referenced[],
): Promise<LintFacts> => {
  const idsOf = (wanted: ReferenceKind) =>
    referenced.filter(({ kind }) => kind === wanted).map(({ id }) => id)
  const usesHours = references.some(({ kind }) => kind === 'hours')
  return {
    flow,
    tagIds: idsOf('tag'),
    agentIds: idsOf('agent'),
    teamIds: idsOf('team'),
    actionIds: idsOf('action'),
    hoursIds: usesHours ? idsOf('hours') : [],
    hasDefaultHours: referenced.some(({ kind, flag }) => kind === 'hours' && flag === true),
    attachmentIds: idsOf('attachment'),
    accountIds: idsOf('account'),
    templates: templatesOf(ctx, referenced),
    channels: await loadChannelFacts(ctx),
    others: await listOtherFlows(ctx, flow.id),
    languages: [],
  }
}

const templatesOf = (ctx: Ctx, referenced: readonly Referenced[]): { name: string; language: string }[] =>
  referenced
    .filter(({ kind, definition }) => kind === 'template' && isSendable(ctx, definition))
    .map(({ id, name }) => ({ name: id, language: name }))

/** Stored as the channel read it. */
const isSendable = (ctx: Ctx, definition: unknown): boolean =>
  ctx.channels.whatsapp.isSendable(definition as TemplateDefinition)

/** The limits of the channels that the workspace has. */
export const loadChannelFacts = async (ctx: Ctx): Promise<ChannelFacts[]> =>
  (await listChannels(ctx)).map((channel) => channelFactsOf(ctx.channels, channel))

export const existingOf = (ctx: Ctx, referenced: readonly Referenced[]): ExistingFacts => {
  const of = (wanted: ReferenceKind) => referenced.filter(({ kind }) => kind === wanted)
  return {
    tags: of('tag').map(({ id, name }) => ({ id, name })),
    agents: of('agent').map(({ id, flag }) => ({ id, isOnline: flag === true })),
    teamIds: of('team').map(({ id }) => id),
    actionIds: of('action').map(({ id }) => id),
    templates: templatesOf(ctx, referenced),
    flowIds: of('flow').flatMap(({ id, flag }) => (flag ? [id] : [])),
    attachmentIds: of('attachment').map(({ id }) => id),
  }
}

/** The workspace as tests and backtests see it, in three statements. */
export const loadWorld = async (ctx: Ctx, referenced: readonly Referenced[]): Promise<WorldFacts> => {
  const hours = await listBusinessHours(ctx)
  const workspace = await findWorkspace(ctx.db, ctx.workspaceId)
  return {
    now: ctx.now().getTime(),
    workspace: {
      name: workspace?.name ?? '',
      timeZone: hours.find(({ isDefault }) => isDefault)?.timeZone ?? 'UTC',
    },
    hours,
    existing: existingOf(ctx, referenced),
    channels: await loadChannelFacts(ctx),
  }
}
