import Type from 'typebox'
import { listAgents } from '../../domain/agents/queries.ts'
import { listShownChannelAccounts } from '../../domain/channel-accounts/queries.ts'
import { listContactGroups } from '../../domain/contact-groups/queries.ts'
import { listTags } from '../../domain/tags/queries.ts'
import { listTemplates } from '../../domain/templates/list-templates.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { requireChannel, requireScope } from '../../platform/ctx/scopes.ts'
import { decode } from '../../platform/db/json-text.ts'
import type { Scope } from '../../platform/db/tables.ts'
import { CUSTOMER_TEXT_IS, lineOf } from '../tool/customer-text.ts'
import { fitList } from '../tool/fit-rows.ts'
import { CursorGiven, defineTool, given, limitGiven, listOf, READS } from '../tool/tool.ts'

const ROWS_MAX = 100
const KINDS = ['agents', 'tags', 'groups', 'templates', 'channels'] as const
type Kind = (typeof KINDS)[number]

/** As on the API's routes of the same lists. */
const NEEDS: Record<Kind, Scope | null> = {
  agents: 'agents:read',
  tags: 'contacts:read',
  groups: 'groups:read',
  templates: 'templates:read',
  channels: null,
}

/** Programs and imports make these too, under names that a customer may have entered elsewhere. */
const MADE_BY_PROGRAMS: ReadonlySet<Kind> = new Set(['tags', 'groups'])

export const listReference = defineTool({
  name: 'list_reference',
  scopes: [],
  hints: READS,
  description: 'Names and ids of agents, tags, contact groups, WhatsApp templates or channels.',
  input: given({ kind: Type.Enum([...KINDS]), cursor: CursorGiven, limit: limitGiven(ROWS_MAX) }),
  output: listOf('items'),
  run: async (ctx, { kind: wanted, cursor, limit = ROWS_MAX }) => {
    // The schema has no other values.
    const kind = wanted as Kind
    const scope = NEEDS[kind]
    if (scope) requireScope(ctx.actor, scope)
    const { rows, ...page } = fitList(await LISTS[kind](ctx), cursor, limit)
    return {
      text: `${rows.length} ${kind}${page.nextCursor ? '; there are more' : ''}.`,
      data: { items: rows, ...page, ...(MADE_BY_PROGRAMS.has(kind) && { customerTextIs: CUSTOMER_TEXT_IS }) },
    }
  },
})

const LISTS: Record<Kind, (ctx: Ctx) => Promise<Record<string, unknown>[]>> = {
  agents: async (ctx) =>
    (await listAgents(ctx)).map(({ id, nickname, role, isOnline }) => ({
      id,
      name: nickname,
      role,
      isOnline,
    })),
  tags: async (ctx) =>
    (await listTags(ctx)).map(({ id, name }) => ({ id, customerText: { name: lineOf(name) } })),
  groups: async (ctx) =>
    (await listGroups(ctx)).map(({ id, name, memberCount }) => ({
      ...{ id, memberCount, customerText: { name: lineOf(name) } },
    })),
  templates: async (ctx) => {
    requireChannel(ctx.actor, 'whatsapp')
    return (await listTemplates(ctx)).templates.map(({ name, language, isSendable }) => ({
      ...{ name, language, isSendable },
    }))
  },
  channels: async (ctx) => {
    const { actor } = ctx
    const accounts = await listShownChannelAccounts(ctx)
    return accounts
      .filter(({ channel }) => actor.type !== 'token' || (actor.channels?.includes(channel) ?? true))
      .map(({ id, channel, name }) => ({ id, channel, name: lineOf(name) }))
  },
}

export const listGroups = async (ctx: Ctx) =>
  decode(await listContactGroups(ctx)).groups.map(({ id, name, memberCount }) => ({ id, name, memberCount }))
